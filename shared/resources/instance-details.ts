/** The tests of an instance in one item, so that reading a finished instance costs one read. Asked for: by instance, with its artifacts. */
import { LIMITS } from '../limits.ts';
import type { RecordedTestOutcome } from '../outcomes.ts';
import type { Entity } from '../table/entity.ts';
import { pack, unpack } from '../table/packed.ts';
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
  readonly instance: Omit<Instance, 'results' | 'version'>;
  /** Tests the spec file is expected to report. */
  readonly expectedTests: number;
  readonly projectId: string;
  readonly commit: Commit;
  readonly framework: Framework;
  readonly platform: Platform;
  readonly tags: readonly string[];
  readonly tests: readonly RecordedTest[];
}

/** A piece of the packed details, since an item holds 400 KB. All pieces of one writing carry its version. */
export interface DetailsPart {
  readonly organizationId: string;
  readonly instanceId: string;
  readonly part: number;
  readonly parts: number;
  readonly version: number;
  readonly bytes: Uint8Array;
}

const PREFIX = 'DETAILS#';
const PART_DIGITS = 3;

export const detailsParts: Entity<Pick<DetailsPart, 'organizationId' | 'instanceId' | 'part'>, DetailsPart> = {
  type: 'instance details',
  patterns: [{ question: 'A finished instance with its tests', key: 'pk = INSTANCE#org#instance, sk = DETAILS#part' }],
  key: (of) => ({ pk: instancePartition(of), sk: PREFIX + String(of.part).padStart(PART_DIGITS, '0') }),
  store: (part) => ({ ...part }),
  load: (row) => stored<DetailsPart>(row),
};

export function splitDetails(details: InstanceDetails, version: number): DetailsPart[] {
  const { organizationId, instanceId } = details.instance;
  const bytes = pack(details);
  const parts = Math.max(1, Math.ceil(bytes.length / LIMITS.itemPartBytes));
  return Array.from({ length: parts }, (_, part) => ({
    organizationId,
    instanceId,
    part,
    parts,
    version,
    bytes: bytes.subarray(part * LIMITS.itemPartBytes, (part + 1) * LIMITS.itemPartBytes),
  }));
}

/** `undefined` unless every piece of one writing is there: then the records themselves have to be asked. */
export function joinDetails(parts: readonly DetailsPart[]): InstanceDetails | undefined {
  const [first] = parts;
  const whole = parts.filter(({ version, part }) => version === first?.version && part < (first?.parts ?? 0));
  if (!first || whole.length !== first.parts) return undefined;
  return unpack<InstanceDetails>(Buffer.concat(whole.map(({ bytes }) => bytes)));
}
