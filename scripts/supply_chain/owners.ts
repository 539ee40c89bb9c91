/**
 * One sentence if CODEOWNERS names users or teams of another account: GitHub ignores such lines, and asks for no
 * review.
 * @param account the user or organisation that owns the repository
 */
export function ownerFindings(codeowners: string, account: string): string[] {
  const lines = codeowners.split('\n').filter((line) => !line.startsWith('#'))
  const named = lines.flatMap((line) => line.split(/\s+/).slice(1)).filter((name) => name.startsWith('@'))
  const isOwn = (name: string) => name.slice(1).split('/')[0]?.toLowerCase() === account.toLowerCase()
  const foreign = [...new Set(named.filter((name) => !isOwn(name)))]
  if (foreign.length === 0) return []
  return [`.github/CODEOWNERS names ${foreign.join(', ')}: replace them by users or teams of ${account}`]
}
