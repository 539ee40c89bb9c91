export const PAGE = ''
export const PAGE_POLICY = "default-src 'none'"
