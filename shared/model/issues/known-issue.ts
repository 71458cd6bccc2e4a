/** §5.2 A link between a test and an issue in a tracker, created by Rundown or linked by somebody. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix, computeDigest } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import type { TrackerKind } from './tracker-kind.ts';

export const ISSUE_STATES = ['open', 'inProgress', 'done'] as const;
export type IssueState = (typeof ISSUE_STATES)[number];

export interface KnownIssue extends ProjectKey {
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
  /** In the tracker. */
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
  /** Passed runs on the default branch since the test last failed or was flaky, or the issue was reopened. */
  readonly passes?: number;
  /** The newest run that was counted: its creation time and id, in a form that sorts by time. */
  readonly countedRun?: string;
  /** When Rundown learned that the issue is done, in epoch milliseconds. Absent for an issue that is not done. */
  readonly doneAt?: number;
  /** The run whose comment said that the test fails again. There is at most one each time the issue is closed. */
  readonly reportedAgain?: string;
  /** `begun`: closing, perhaps commented already. `refused`: the tracker did not close it. Waits for a new failure. */
  readonly closing?: 'begun' | 'refused';
}

/** Of everything about the issues of a project. */
export const getIssuesPartition = ({ organizationId, projectId }: ProjectKey): string =>
  composeKey('ISSUES', organizationId, projectId);

const KEY_CHARACTERS = 12;

export const deriveIssueId = ({
  signature,
  integrationId,
  key,
}: Pick<KnownIssue, 'signature' | 'integrationId' | 'key'>) =>
  `${signature}-${computeDigest(KEY_CHARACTERS, integrationId, key)}`;

export const extractSignature = (issueId: string): string => issueId.slice(0, issueId.lastIndexOf('-'));

export const knownIssues: Entity<ProjectKey & Pick<KnownIssue, 'issueId'>, KnownIssue> = {
  type: 'known issue',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'Issues of a project, or of one of its tests' }],
  key: (issue) => ({ pk: getIssuesPartition(issue), sk: composeKey('ISSUE', issue.issueId) }),
  store: toAttributes,
  load: loadAttributes,
};

export const getProjectIssuesSpan = (project: ProjectKey) =>
  getPrefixSpan(getIssuesPartition(project), composePrefix('ISSUE'));

/** All signatures have the same length, so no signature is a prefix of another. */
export const getTestIssuesSpan = ({
  signature,
  ...project
}: Pick<KnownIssue, 'organizationId' | 'projectId' | 'signature'>) =>
  getPrefixSpan(getIssuesPartition(project), `${composePrefix('ISSUE')}${signature}-`);

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
  patterns: [{ question: 'An issue that is being created for a failure' }],
  key: (draft) => ({
    pk: getIssuesPartition(draft),
    sk: composeKey('DRAFT', draft.signature, draft.fingerprint ?? 'NONE'),
  }),
  store: toAttributes,
  load: loadAttributes,
};

export const getIssueDraftsSpan = (project: ProjectKey) =>
  getPrefixSpan(getIssuesPartition(project), composePrefix('DRAFT'));
