/** §5 Limits of organizations, tokens and invitations. */
export const ORGANIZATION_LIMITS = {
  /** §8 Limits of personal tokens. */
  tokenNameCharacters: 64,
  tokenDescriptionCharacters: 256,
  /** The number of tokens or organizations per page of nightly work, which one batch can read. */
  cleanUpPage: 100,
  /** The number of rows between two checkpoints. At most so many are read again after an interruption. */
  cleanUpCheckpointRows: 1000,
  /** The time that the clean-up needs to finish a page. */
  cleanUpMarginMilliseconds: 15_000,
  /** §5 The longest name of an organization, project or person, and label of an API key. */
  nameCharacters: 128,
  /** What an audit record keeps of the name of its subject, and the random part of its key. */
  auditLabelCharacters: 128,
  auditIdCharacters: 8,
  /** A form that creates something: characters of its random id, and how long it is known as submitted. */
  formIdCharacters: 32,
  submittedFormMilliseconds: 7 * 24 * 60 * 60 * 1000,
  /** The lifetime of an invitation. */
  invitationMilliseconds: 7 * 24 * 60 * 60 * 1000,
  /** The default branch of a project that names none. */
  defaultBranchName: 'main',
  /** §3 The time without reports after which a run times out, unless its project says otherwise. */
  inactivityTimeoutSeconds: { minimum: 3 * 60, maximum: 12 * 60 * 60, default: 30 * 60 },
} as const;
