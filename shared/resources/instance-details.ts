/** The tests of an instance in one item, so that reading a finished instance costs one read. Asked for: by instance, with its artifacts. */
import type { RecordedTestOutcome } from '../outcomes.ts';
import type { Entity } from '../table/entity.ts';
import { join, type Part, partKey, split } from '../table/parts.ts';
import { stored } from '../table/stored.ts';
import type { Annotation, Attempt } from './attempt.ts';
import type { Commit } from './commit.ts';
import type { Instance } from './instance.ts';
import type { Framework, Platform } from './run.ts';
import { instancePartition } from './test-record.ts';

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

/** Everything `GET /instances/{instanceId}` says beside the artifacts. */
export interface InstanceDetails {
  readonly instance: Omit<Instance, 'results' | 'version' | 'testTags' | 'heardAt'>;
  /** Tests the spec file is expected to report. */
  readonly expectedTests: number;
  readonly projectId: string;
  readonly commit: Commit;
  readonly framework: Framework;
  readonly platform: Platform;
  readonly tags: readonly string[];
  readonly tests: readonly RecordedTest[];
}

export type DetailsPart = Pick<Instance, 'organizationId' | 'instanceId'> & Part;

const PREFIX = 'DETAILS#';

export const detailsParts: Entity<Pick<DetailsPart, 'organizationId' | 'instanceId' | 'part'>, DetailsPart> = {
  type: 'instance details',
  patterns: [{ question: 'A finished instance with its tests', key: 'pk = INSTANCE#org#instance, sk = DETAILS#part' }],
  key: (of) => ({ pk: instancePartition(of), sk: PREFIX + partKey(of.part) }),
  store: (part) => ({ ...part }),
  load: (row) => stored<DetailsPart>(row),
};

export function splitDetails(details: InstanceDetails, version: number): DetailsPart[] {
  const { organizationId, instanceId } = details.instance;
  return split(details, version).map((part) => ({ ...part, organizationId, instanceId }));
}

/** `undefined` unless every piece of one writing is there: then the records themselves have to be asked. */
export const joinDetails = (parts: readonly DetailsPart[]): InstanceDetails | undefined => join<InstanceDetails>(parts);
