/**
 * §5.2 A link between a test and an issue in a tracker. Rundown created the issue for the test, or somebody linked an
 * existing issue. Access patterns: all issues of a test; all issues of a project.
 */
import { beginningWith, type Entity } from '#shared/engine/table/entity.ts';
import { composed, digest, prefix } from '#shared/engine/table/keys.ts';
import { attributesOf, stored } from '#shared/engine/table/stored.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import type { TrackerKind } from '#shared/model/organizations/integration.ts';

export const ISSUE_STATES = ['open', 'inProgress', 'done'] as const;
export type IssueState = (typeof ISSUE_STATES)[number];

export interface KnownIssue extends ProjectKey {
  /** The signature of the test. */
  readonly signature: string;
  /** The id of this link between test and issue. It begins with the signature. */
  readonly issueId: string;
  readonly integrationId: string;
  readonly kind: TrackerKind;
  /** The key of the issue in its tracker: `SHOP-12`, or `acme/shop#12`. */
  readonly key: string;
  readonly url: string;
  readonly title: string;
  readonly state: IssueState;
  /** The name of the state in the tracker. */
  readonly stateName: string;
  /** The fingerprint of the error that the issue is about. Absent for a test without an error. */
  readonly fingerprint?: string;
  readonly spec: string;
  readonly testTitle: readonly string[];
  /** Whether Rundown created the issue. Otherwise, somebody linked an existing issue. */
  readonly created: boolean;
  /** When the link was created, in epoch milliseconds. */
  readonly createdAt: number;
  /** The person or credential that created the link, or `automation`. */
  readonly createdBy: string;
  /** When the state was last read from the tracker, in epoch milliseconds. */
  readonly checkedAt: number;
  /** Creation time of the newest known run in which the test failed or was flaky, in epoch milliseconds. */
  readonly seenAt: number;
  /**
   * The number of runs on the default branch in which the test passed since it last failed or was flaky, or since the
   * issue was reopened.
   */
  readonly passes?: number;
  /** The newest run that was counted: its creation time and id, in a form that sorts by time. */
  readonly countedRun?: string;
  /** When Rundown learned that the issue is done, in epoch milliseconds. Absent for an issue that is not done. */
  readonly doneAt?: number;
  /**
   * The id of the run for which a comment said that the test fails again. An issue gets at most one such comment each
   * time it is closed.
   */
  readonly reportedAgain?: string;
  /**
   * `begun`: Rundown is closing the issue, and may already have written the comment that the test passes. `refused`:
   * the tracker did not close the issue, so Rundown does not try again until the test has failed again.
   */
  readonly closing?: 'begun' | 'refused';
}

/** The partition of everything about the issues of a project. */
export const issuesPartition = ({ organizationId, projectId }: ProjectKey): string =>
  composed('ISSUES', organizationId, projectId);

const KEY_CHARACTERS = 12;

export const issueIdOf = ({ signature, integrationId, key }: Pick<KnownIssue, 'signature' | 'integrationId' | 'key'>) =>
  `${signature}-${digest(KEY_CHARACTERS, integrationId, key)}`;

export const signatureOfIssue = (issueId: string): string => issueId.slice(0, issueId.lastIndexOf('-'));

export const knownIssues: Entity<ProjectKey & Pick<KnownIssue, 'issueId'>, KnownIssue> = {
  type: 'known issue',
  guarded: false,
  removal: 'apart',
  patterns: [
    { question: 'Issues of a project, or of one of its tests', key: 'pk = ISSUES#org#project, sk = ISSUE#issue' },
  ],
  key: ({ issueId, ...project }) => ({ pk: issuesPartition(project), sk: composed('ISSUE', issueId) }),
  store: attributesOf,
  load: stored,
};

export const issuesOfProject = (project: ProjectKey) => beginningWith(issuesPartition(project), prefix('ISSUE'));

/** All signatures have the same length, so no signature is a prefix of another. */
export const issuesOfTest = ({
  signature,
  ...project
}: Pick<KnownIssue, 'organizationId' | 'projectId' | 'signature'>) =>
  beginningWith(issuesPartition(project), `${prefix('ISSUE')}${signature}-`);

/**
 * An issue that is being created in its tracker. This row keeps two requests from creating two issues for the same
 * failure. If the function is killed, or the tracker's response is lost, the next request finds the issue by its marker.
 */
export interface IssueDraft extends ProjectKey {
  readonly signature: string;
  readonly fingerprint: string | undefined;
  readonly integrationId: string;
  readonly trackerProjectId: string;
  readonly marker: string;
  /** When the first attempt to create the issue in this project of the tracker began, in epoch milliseconds. */
  readonly createdAt: number;
  /** Another request may continue after this time, in epoch milliseconds. */
  readonly leasedUntil: number;
  /** TTL in epoch seconds. */
  readonly expiresAt: number;
}

export const issueDrafts: Entity<
  Pick<IssueDraft, 'organizationId' | 'projectId' | 'signature' | 'fingerprint'>,
  IssueDraft
> = {
  type: 'issue draft',
  guarded: false,
  removal: 'apart',
  patterns: [
    {
      question: 'An issue that is being created for a failure',
      key: 'pk = ISSUES#org#project, sk = DRAFT#signature#fingerprint',
    },
  ],
  key: ({ signature, fingerprint, ...project }) => ({
    pk: issuesPartition(project),
    sk: composed('DRAFT', signature, fingerprint ?? 'NONE'),
  }),
  store: attributesOf,
  load: stored,
};

export const draftsOfProject = (project: ProjectKey) => beginningWith(issuesPartition(project), prefix('DRAFT'));
