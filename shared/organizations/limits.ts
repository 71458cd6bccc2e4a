import { DAY_MILLISECONDS } from '#shared/engine/durations.ts';

/** §5 Limits of organizations, tokens and invitations. */
export const ORGANIZATION_LIMITS = {
  /** §8 Limits of personal tokens. */
  tokenNameCharacters: 64,
  tokenDescriptionCharacters: 256,
  /** How many tokens or organizations the nightly clean-up reads per page. A batch read returns at most 100 items. */
  cleanUpPage: 100,
  /** Rows between two checkpoints of the clean-up. After an interruption, about this many are read again. */
  cleanUpCheckpointRows: 1000,
  /** The clean-up stops when less time than this is left, because the time might not be enough for another page. */
  cleanUpMarginMilliseconds: 15_000,
  /** §5 Maximum length of the name of an organization, project, person or passkey, and of the label of an API key. */
  nameCharacters: 128,
  /** Audit records: maximum length of the name of the subject, and length of the random part of the key. */
  auditLabelCharacters: 128,
  auditIdCharacters: 8,
  /** How many names of commits without an address one erasure replaces. */
  erasedNames: 20,
  /** A page of news reads at most this many audit records at once, and this many times. */
  auditRowsPerRead: 100,
  auditReadsPerPageOfNews: 10,
  /** A file of the audit log has at most this many records. Reading it ends after this many reads. */
  auditRowsPerFile: 5000,
  auditReadsPerFile: 100,
  /** Forms that create something: length of the random form id, and how long a repeated submission is detected. */
  formIdCharacters: 32,
  submittedFormMilliseconds: 7 * DAY_MILLISECONDS,
  /** How many organizations of a person, and how many projects of each, the documentation offers to choose from. */
  chosenOrganizations: 20,
  chosenProjects: 50,
  invitationMilliseconds: 7 * DAY_MILLISECONDS,
  /** Maximum number of tags of a project, and maximum length of each tag. */
  projectTags: 20,
  projectTagCharacters: 64,
  /** How long a deleted project can be restored. */
  projectDeletionMilliseconds: 30 * DAY_MILLISECONDS,
  /** How long a deleted organization can be restored. */
  organizationDeletionMilliseconds: 30 * DAY_MILLISECONDS,
  /** The default branch of projects that do not set one. */
  defaultBranchName: 'main',
  /** §3 How long a run may report nothing before it times out. Projects may set another value. */
  inactivityTimeoutSeconds: { minimum: 3 * 60, maximum: 12 * 60 * 60, default: 30 * 60 },
} as const;
