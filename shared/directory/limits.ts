/** §8 Limits of SCIM. */
export const DIRECTORY_LIMITS = {
  /** Two at a time, so that a directory can change to a new one without a gap. */
  scimTokens: 2,
  tokenIdCharacters: 16,
  /** The last use of a token is stored at most this often. */
  lastUseMilliseconds: 10 * 60 * 1000,
  entryIdCharacters: 24,
  /** People and groups in the directory of an organization. */
  entries: 10_000,
  groups: 1000,
  groupsOfEntry: 50,
  /** Rows of the table of group roles. */
  groupRoles: 50,
  /** Resources in one page of a list. */
  page: 100,
  bodyBytes: 1024 * 1024,
  operations: 100,
  /** Members that one request may name. */
  namedMembers: 5000,
  emails: 5,
  textCharacters: 256,
  pathCharacters: 512,
  filterCharacters: 1024,
  filterTerms: 5,
} as const;
