/** The package has no types of its own. */
declare module 'snappyjs' {
  export function compress(input: Uint8Array): Uint8Array
  export function uncompress(compressed: Uint8Array): Uint8Array
}
