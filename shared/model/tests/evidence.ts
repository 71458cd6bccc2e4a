/**
 * §2.4 Diagnostics of a failed or flaky test: packed steps and output of all attempts, and trace analyses. The errors
 * are in the test record. Other tests have no diagnostics. Access pattern: by test, together with the record.
 */
import { type Attributes, beginningWith, type Entity } from '#shared/engine/table/entity.ts';
import { composed } from '#shared/engine/table/keys.ts';
import { pack, unpack } from '#shared/engine/table/packed.ts';
import { type Part, partKey, splitParts } from '#shared/engine/table/parts.ts';
import { attributesOf, stored } from '#shared/engine/table/stored.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';
import type { GoesWithRun } from '#shared/model/runs/removal.ts';
import type { AttemptError } from './attempt.ts';
import {
  instancePartition,
  isStub,
  type RecordKey,
  type TestRecord,
  testRecords,
  withInstance,
} from './test-record.ts';

/** The duration of a step that never ended. */
export const NEVER_ENDED = -1;

export interface EvidenceStep {
  readonly title: string;
  readonly category: string;
  /** The duration in milliseconds, or `NEVER_ENDED`. */
  readonly duration: number;
  readonly error: AttemptError | null;
  readonly steps: readonly EvidenceStep[];
}

/** A step, and its position in the order in which all steps started. */
export interface PlacedStep<Step> {
  readonly step: Step;
  readonly parent: PlacedStep<Step> | undefined;
  readonly index: number;
  /** The position after the last nested step. */
  readonly end: number;
}

/** All steps in the order in which they started. Each step precedes its nested steps. */
export function inOrder<Step extends { readonly steps: readonly Step[] }>(steps: readonly Step[]): PlacedStep<Step>[] {
  const placed: PlacedStep<Step>[] = [];
  const walk = (step: Step, parent?: PlacedStep<Step>): void => {
    const index = placed.length;
    const own = { step, parent, index, end: index + 1 };
    placed.push(own);
    for (const nested of step.steps) walk(nested, own);
    own.end = placed.length;
  };
  for (const step of steps) walk(step);
  return placed;
}

export interface AttemptEvidence {
  readonly steps: readonly EvidenceStep[];
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
}

/** The evidence of each attempt, in order. An attempt without output has empty lists. */
export type Evidence = readonly AttemptEvidence[];

/** §2.4 Console entries and network requests from the trace of an attempt. Times are in epoch milliseconds. */
export interface TraceErrorAnalysis {
  readonly consoleEntries: readonly {
    readonly time: number;
    readonly messageType: string;
    readonly text: string;
    readonly location: { readonly url: string; readonly lineNumber: number; readonly columnNumber: number };
  }[];
  readonly networkRequests: readonly {
    readonly time: number;
    readonly url: string;
    readonly status: number;
    readonly method: string;
  }[];
}

export type EvidencePart = RecordKey & Part & Expiring;

export const evidenceParts: Entity<RecordKey & Pick<Part, 'part'>, EvidencePart> & GoesWithRun = {
  type: 'evidence',
  guarded: false,
  removal: withInstance('evidence'),
  patterns: [
    { question: 'Steps and output of a test', key: 'pk = INSTANCE#org#instance, sk = TEST#test#EVIDENCE#part' },
    {
      question: 'The record of a test with all its evidence',
      key: 'pk = INSTANCE#org#instance, sk begins with TEST#test',
    },
  ],
  key: (of) => ({ pk: instancePartition(of), sk: composed('TEST', of.testKey, 'EVIDENCE', partKey(of.part)) }),
  store: attributesOf,
  load: stored,
};

/**
 * Splits evidence into rows. `version` increases with every message about the test, so that older evidence never
 * replaces newer evidence.
 */
export const splitEvidence = (key: RecordKey & Expiring, evidence: Evidence, version: number): EvidencePart[] =>
  splitParts(evidence, version).map((part) => ({ ...part, ...key }));

export interface TraceAnalysis extends RecordKey, Expiring {
  /** The index of the attempt, counted from 0. */
  readonly attempt: number;
  readonly analysis: TraceErrorAnalysis;
}

export const traceAnalyses: Entity<RecordKey & Pick<TraceAnalysis, 'attempt'>, TraceAnalysis> & GoesWithRun = {
  type: 'trace analysis',
  guarded: false,
  removal: withInstance('evidence'),
  patterns: [
    { question: 'The trace analysis of an attempt', key: 'pk = INSTANCE#org#instance, sk = TEST#test#TRACE#attempt' },
  ],
  key: (of) => ({ pk: instancePartition(of), sk: composed('TEST', of.testKey, 'TRACE', String(of.attempt)) }),
  store: ({ analysis, ...key }) => ({ ...key, packed: pack(analysis) }),
  load: (row) => {
    const { packed, ...key } = stored<PackedTrace>(row);
    return { ...key, analysis: unpack<TraceErrorAnalysis>(packed) };
  },
};

/** A trace analysis that is still packed, because a request for a test unpacks the analysis of only one attempt. */
export type PackedTrace = Omit<TraceAnalysis, 'analysis'> & { readonly packed: Uint8Array };

/** The rows of an instance whose sort keys begin with `TEST#`. */
export type RowOfTest =
  | { readonly kind: 'record'; readonly record: TestRecord }
  | { readonly kind: 'stub'; readonly testKey: string; readonly watched: boolean }
  | { readonly kind: 'part'; readonly part: EvidencePart }
  | { readonly kind: 'trace'; readonly trace: PackedTrace };

export const testRows = {
  load: (row: Attributes): RowOfTest => {
    const [, , kind] = String(row['sk']).split('#');
    if (kind === 'EVIDENCE') return { kind: 'part', part: evidenceParts.load(row) };
    if (kind === 'TRACE') return { kind: 'trace', trace: stored<PackedTrace>(row) };
    const record = testRecords.load(row);
    return isStub(record)
      ? { kind: 'stub', testKey: record.testKey, watched: record.watched === true }
      : { kind: 'record', record };
  },
};

/** All rows of one test. Test keys have the same length, so no test key is a prefix of another. */
export const testSpan = (of: RecordKey) => beginningWith(instancePartition(of), composed('TEST', of.testKey));
