/**
 * A class of a regular expression with the flag `u`: characters that are invisible, or change how other text is shown.
 * Control characters (C0, DEL, C1), format characters such as bidirectional overrides, other characters that renderers
 * ignore, line and paragraph separators, and surrogates without their other half.
 */
export const INVISIBLE = '\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}'

const INVISIBLE_CHARACTER = new RegExp(`[${INVISIBLE}]`, 'gu')

/** The text with each invisible character as `\uXXXX`, in UTF-16 code units as in JSON. */
export function visibleText(text: string): string {
  return text.replace(INVISIBLE_CHARACTER, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

/** The same for text of several lines. JSON keeps its value. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visibleText).join('\n')
}
