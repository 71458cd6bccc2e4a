/** The tests of an instance, compressed into few rows, so that one query reads a finished instance. */

import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { formatPartKey, joinParts, type Part, splitParts } from '#shared/engine/table/parts.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { OfInstance } from '#shared/model/keys.ts';
import type { Commit } from '#shared/model/runs/commit.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';
import type { GoesWithRun } from '#shared/model/runs/removal.ts';
import type { Framework, Platform } from '#shared/model/runs/run.ts';
import type { Annotation, Attempt } from './attempt.ts';
import type { Instance } from './instance.ts';
import type { RecordedTestOutcome } from './outcomes.ts';
import { getInstancePartition, removeWithInstance } from './test-record.ts';

export interface RecordedTest {
  readonly testId: string;
  readonly recordId: string;
  readonly title: readonly string[];
  readonly outcome: RecordedTestOutcome;
  readonly flaky: boolean;
  readonly expectedStatus: string;
  readonly tags: readonly string[];
  readonly annotations: readonly Annotation[];
  readonly attempts: readonly Attempt[];
  /** Whether the outcome is final. */
  readonly done: boolean;
}

type DescribedInstance = Omit<
  Instance,
  | 'counters'
  | 'epoch'
  | 'expected'
  | 'expiry'
  | 'hasMore'
  | 'heardAt'
  | 'known'
  | 'reserved'
  | 'suite'
  | 'testTags'
  | 'version'
  | 'watched'
>;

/** The content of `GET /instances/{instanceId}` except the artifacts. */
export interface InstanceDetails {
  readonly instance: DescribedInstance;
  readonly expectedTests: number;
  readonly projectId: string;
  readonly commit: Commit;
  readonly framework: Framework;
  readonly platform: Platform;
  readonly tags: readonly string[];
  readonly tests: readonly RecordedTest[];
}

export type DetailsPart = OfInstance & Part & Expiring;

const PREFIX = 'DETAILS#';

export const detailsParts: Entity<Pick<DetailsPart, 'organizationId' | 'instanceId' | 'part'>, DetailsPart> &
  GoesWithRun = {
  type: 'instance details',
  guarded: false,
  removal: removeWithInstance('results'),
  patterns: [{ question: 'A finished instance with its tests' }],
  key: (row) => ({ pk: getInstancePartition(row), sk: PREFIX + formatPartKey(row.part) }),
  store: toAttributes,
  load: loadAttributes,
};

export const getDetailsSpan = (instance: OfInstance) => getPrefixSpan(getInstancePartition(instance), PREFIX);

export function splitDetails(
  details: InstanceDetails,
  { version, expiresAt }: Pick<DetailsPart, 'version' | 'expiresAt'>,
): DetailsPart[] {
  const { organizationId, instanceId } = details.instance;
  return splitParts(details, version).map((part) => ({ ...part, organizationId, instanceId, expiresAt }));
}

/** Returns `undefined` unless all parts of one write are present. The caller then reads the test records. */
export const joinDetails = (parts: readonly DetailsPart[]): InstanceDetails | undefined =>
  joinParts<InstanceDetails>(parts);
