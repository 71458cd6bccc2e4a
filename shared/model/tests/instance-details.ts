/**
 * The tests of an instance, compressed into as few rows as possible, so that one query reads a finished instance.
 * Access pattern: by instance, with its artifacts.
 */

import { beginningWith, type Entity } from '#shared/engine/table/entity.ts';
import { join, type Part, partKey, splitParts } from '#shared/engine/table/parts.ts';
import { attributesOf, stored } from '#shared/engine/table/stored.ts';
import type { OfInstance } from '#shared/model/keys.ts';
import type { Commit } from '#shared/model/runs/commit.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';
import type { GoesWithRun } from '#shared/model/runs/removal.ts';
import type { Framework, Platform } from '#shared/model/runs/run.ts';
import type { Annotation, Attempt } from './attempt.ts';
import type { Instance } from './instance.ts';
import type { RecordedTestOutcome } from './outcomes.ts';
import { instancePartition, withInstance } from './test-record.ts';

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
  /** The number of tests that the spec file is expected to report. */
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
  removal: withInstance('results'),
  patterns: [{ question: 'A finished instance with its tests', key: 'pk = INSTANCE#org#instance, sk = DETAILS#part' }],
  key: (of) => ({ pk: instancePartition(of), sk: PREFIX + partKey(of.part) }),
  store: attributesOf,
  load: stored,
};

export const detailsSpan = (of: OfInstance) => beginningWith(instancePartition(of), PREFIX);

export function splitDetails(
  details: InstanceDetails,
  { version, expiresAt }: Pick<DetailsPart, 'version' | 'expiresAt'>,
): DetailsPart[] {
  const { organizationId, instanceId } = details.instance;
  return splitParts(details, version).map((part) => ({ ...part, organizationId, instanceId, expiresAt }));
}

/**
 * Joins the parts. Returns `undefined` unless all parts of one write are present. If the result is `undefined`, the
 * caller reads the test records.
 */
export const joinDetails = (parts: readonly DetailsPart[]): InstanceDetails | undefined => join<InstanceDetails>(parts);
