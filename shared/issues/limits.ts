/** §5.2 Limits of connections to issue trackers and of known issues. */
export const ISSUE_LIMITS = {
  integrationsPerOrganization: 20,
  nameCharacters: 64,
  accountCharacters: 254,
  /** The maximum length of a credential. Parameter Store accepts up to 4,096 bytes. */
  tokenCharacters: 4096,
  secretNameCharacters: 24,
  /** The maximum length of an id or a key that the tracker assigned. */
  trackerIdCharacters: 300,
  searchCharacters: 100,
  /** §8 allows 50 items per page, but published clients may request up to 100. They request 50 by default. */
  trackerPage: { minimum: 1, maximum: 100, default: 50 },

  /** The maximum number of links to issues per project and per test. */
  issuesPerProject: 1000,
  issuesPerTest: 20,
  customFields: 50,
  customFieldCharacters: 10_000,
  commentCharacters: 10_000,
  titleCharacters: 255,
  markerCharacters: 24,

  /** How long a draft stays locked. Longer than any request. */
  draftMilliseconds: 60_000,
  /** How long a draft is kept, so that an issue whose response was lost is found again. */
  draftDays: 30,
  /** An older stored state is read from the tracker when somebody asks to create an issue that exists already. */
  freshMilliseconds: 60_000,

  /** Scheduled work reads the state of an issue at most once in each interval of this length. */
  stateMilliseconds: 15 * 60_000,

  /** The maximum lengths of the parts of a failure that an issue quotes. */
  errorCharacters: 4000,
  snippetCharacters: 2000,
  stepCharacters: 200,
  nameInTitleCharacters: 120,
} as const;
