/** §5 Limits of organizations, tokens and invitations. */
export const ORGANIZATION_LIMITS = {
  /** §8 Limits of personal tokens. */
  tokenNameCharacters: 64,
  tokenDescriptionCharacters: 256,
  /** Tokens or organizations per page of nightly work. One batch can read this many. */
  cleanUpPage: 100,
  /** Rows between two checkpoints: at most this many are read again after an interruption. */
  cleanUpCheckpointRows: 1000,
  /** The time that the clean-up needs to finish a page. */
  cleanUpMarginMilliseconds: 15_000,
  /** §5 Maximum length of the name of an organization, project or person, and of the label of an API key. */
  nameCharacters: 128,
  /** An audit record: maximum length of its subject's name, and length of the random part of its key. */
  auditLabelCharacters: 128,
  auditIdCharacters: 8,
  /** A form that creates something: length of its random id, and how long a repeated submission is detected. */
  formIdCharacters: 32,
  submittedFormMilliseconds: 7 * 24 * 60 * 60 * 1000,
  /** The lifetime of an invitation. */
  invitationMilliseconds: 7 * 24 * 60 * 60 * 1000,
  /** The default branch of projects that set none. */
  defaultBranchName: 'main',
  /** §3 How long a run may report nothing before it times out. Projects may set another value. */
  inactivityTimeoutSeconds: { minimum: 3 * 60, maximum: 12 * 60 * 60, default: 30 * 60 },
} as const;
