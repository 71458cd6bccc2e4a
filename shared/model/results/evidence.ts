/** §2.4 Steps, output and trace analyses, only of failed or flaky tests. The errors are in the test record. */
import { type Attributes, type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
import { pack, unpack } from '#shared/engine/table/packed.ts';
import { formatPartKey, type Part, splitParts } from '#shared/engine/table/parts.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';
import type { GoesWithRun } from '#shared/model/runs/removal.ts';
import type { AttemptError } from './attempt.ts';
import {
  getInstancePartition,
  isStub,
  type RecordKey,
  removeWithInstance,
  type TestRecord,
  testRecords,
} from './test-record.ts';

export const NEVER_ENDED = -1;

export interface EvidenceStep {
  readonly title: string;
  readonly category: string;
  /** The duration in milliseconds, or `NEVER_ENDED`. */
  readonly duration: number;
  /** When the step began, in milliseconds after the start of its attempt. Absent if the client did not say it. */
  readonly offset?: number;
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

/** In the order in which they started. Each step precedes its nested steps. */
export function flattenSteps<Step extends { readonly steps: readonly Step[] }>(
  steps: readonly Step[],
): PlacedStep<Step>[] {
  const placedSteps: PlacedStep<Step>[] = [];
  const walk = (step: Step, parent?: PlacedStep<Step>): void => {
    const index = placedSteps.length;
    const placedStep = { step, parent, index, end: index + 1 };
    placedSteps.push(placedStep);
    for (const nestedStep of step.steps) walk(nestedStep, placedStep);
    placedStep.end = placedSteps.length;
  };
  for (const step of steps) walk(step);
  return placedSteps;
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
  removal: removeWithInstance('evidence'),
  patterns: [
    { question: 'Steps and output of a test' },
    { question: 'The record of a test with all its evidence', begins: 'TEST#test' },
  ],
  key: (row) => ({
    pk: getInstancePartition(row),
    sk: composeKey('TEST', row.testKey, 'EVIDENCE', formatPartKey(row.part)),
  }),
  store: toAttributes,
  load: loadAttributes,
};

/** `version` increases with every message, so that older evidence never replaces newer evidence. */
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
  removal: removeWithInstance('evidence'),
  patterns: [{ question: 'The trace analysis of an attempt' }],
  key: (row) => ({ pk: getInstancePartition(row), sk: composeKey('TEST', row.testKey, 'TRACE', String(row.attempt)) }),
  store: ({ analysis, ...key }) => ({ ...key, packed: pack(analysis) }),
  load: (row) => {
    const { packed, ...key } = loadAttributes<PackedTrace>(row);
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
    if (kind === 'TRACE') return { kind: 'trace', trace: loadAttributes<PackedTrace>(row) };
    const record = testRecords.load(row);
    return isStub(record)
      ? { kind: 'stub', testKey: record.testKey, watched: record.watched === true }
      : { kind: 'record', record };
  },
};

/** Test keys have the same length, so no test key is a prefix of another. */
export const getTestRowsSpan = (key: RecordKey) =>
  getPrefixSpan(getInstancePartition(key), composeKey('TEST', key.testKey));
