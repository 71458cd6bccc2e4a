/**
 * §2.4 What a test that failed or was flaky left behind beside its record, which has its errors: steps and output of all
 * its attempts, packed, and what its traces say. Asked for: by test, together with the record. A test that passed clean
 * has none, and costs nothing.
 */
import { type Attributes, beginningWith, type Entity } from '../table/entity.ts';
import { composed } from '../table/keys.ts';
import { pack, unpack } from '../table/packed.ts';
import { type Part, partKey, split } from '../table/parts.ts';
import { stored } from '../table/stored.ts';
import type { AttemptError } from './attempt.ts';
import { instancePartition, type TestRecord, testRecords } from './test-record.ts';

export interface EvidenceStep {
  readonly title: string;
  readonly category: string;
  /** Milliseconds; -1 for a step that never ended. */
  readonly duration: number;
  readonly error: AttemptError | null;
  readonly steps: readonly EvidenceStep[];
}

export interface AttemptEvidence {
  readonly steps: readonly EvidenceStep[];
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
}

/** In the order of the test's attempts; an attempt that said nothing has empty lists. */
export type Evidence = readonly AttemptEvidence[];

/** §2.4 Times in milliseconds since the epoch. */
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

export type TestKey = Pick<TestRecord, 'organizationId' | 'instanceId' | 'testKey'>;
export type EvidencePart = TestKey & Part;

export const evidenceParts: Entity<TestKey & Pick<Part, 'part'>, EvidencePart> = {
  type: 'evidence',
  patterns: [
    { question: 'Steps and output of a test', key: 'pk = INSTANCE#org#instance, sk = TEST#test#EVIDENCE#part' },
    {
      question: 'The record of a test with all its evidence',
      key: 'pk = INSTANCE#org#instance, sk begins with TEST#test',
    },
  ],
  key: (of) => ({ pk: instancePartition(of), sk: composed('TEST', of.testKey, 'EVIDENCE', partKey(of.part)) }),
  store: (part) => ({ ...part }),
  load: (row) => stored<EvidencePart>(row),
};

/** `version` grows with every message about the test, so that an older one never replaces a newer one. */
export const splitEvidence = (key: TestKey, evidence: Evidence, version: number): EvidencePart[] =>
  split(evidence, version).map((part) => ({ ...part, ...key }));

export interface TraceAnalysis extends TestKey {
  /** Zero-based. */
  readonly attempt: number;
  readonly analysis: TraceErrorAnalysis;
}

export const traceAnalyses: Entity<TestKey & Pick<TraceAnalysis, 'attempt'>, TraceAnalysis> = {
  type: 'trace analysis',
  patterns: [
    { question: 'What the trace of an attempt says', key: 'pk = INSTANCE#org#instance, sk = TEST#test#TRACE#attempt' },
  ],
  key: (of) => ({ pk: instancePartition(of), sk: composed('TEST', of.testKey, 'TRACE', String(of.attempt)) }),
  store: ({ analysis, ...key }) => ({ ...key, packed: pack(analysis) }),
  load: (row) => {
    const { packed, ...key } = stored<Omit<TraceAnalysis, 'analysis'> & { readonly packed: Uint8Array }>(row);
    return { ...key, analysis: unpack<TraceErrorAnalysis>(packed) };
  },
};

/** What stands below `TEST#` in the partition of an instance. */
export type TestRow =
  | { readonly kind: 'record'; readonly record: TestRecord }
  | { readonly kind: 'part'; readonly part: EvidencePart }
  | { readonly kind: 'trace'; readonly trace: TraceAnalysis };

export const testRows = {
  load: (row: Attributes): TestRow => {
    const [, , kind] = String(row['sk']).split('#');
    if (kind === 'EVIDENCE') return { kind: 'part', part: evidenceParts.load(row) };
    if (kind === 'TRACE') return { kind: 'trace', trace: traceAnalyses.load(row) };
    return { kind: 'record', record: testRecords.load(row) };
  },
};

/** Short names of tests are all of one length, so none begins like another. */
export const testSpan = (of: TestKey) => beginningWith(instancePartition(of), composed('TEST', of.testKey));
