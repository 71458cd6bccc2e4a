/**
 * §2.4 What a test that failed or was flaky left behind: all its attempts with steps and output, in one packed item.
 * Asked for: by test, with what was read from its traces. A test that passed clean has none, and costs nothing.
 */
import { type Attributes, beginningWith, type Entity } from '../table/entity.ts';
import { composed, prefix } from '../table/keys.ts';
import { pack, unpack } from '../table/packed.ts';
import { type Part, partKey, split } from '../table/parts.ts';
import { stored } from '../table/stored.ts';
import type { AttemptError } from './attempt.ts';
import type { RecordedTest } from './instance-details.ts';
import { instancePartition, type TestRecord } from './test-record.ts';

export interface EvidenceStep {
  readonly title: string;
  readonly category: string;
  /** Milliseconds; -1 for a step that never ended. */
  readonly duration: number;
  readonly error: AttemptError | null;
  readonly steps: readonly EvidenceStep[];
}

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

export interface AttemptEvidence {
  readonly steps: readonly EvidenceStep[];
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
}

export interface Evidence {
  readonly test: RecordedTest;
  readonly projectId: string;
  readonly groupId: string;
  readonly spec: string;
  /** In the order of the test's attempts; an attempt that said nothing has empty lists. */
  readonly attempts: readonly AttemptEvidence[];
}

export type EvidenceKey = Pick<TestRecord, 'organizationId' | 'instanceId' | 'testKey'>;
export type EvidencePart = EvidenceKey & Part;

const KIND = 'EVIDENCE';
const TRACE = 'TRACE';

export const evidenceParts: Entity<EvidenceKey & Pick<Part, 'part'>, EvidencePart> = {
  type: 'evidence',
  patterns: [
    {
      question: 'What a failed or flaky test left behind',
      key: 'pk = INSTANCE#org#instance, sk = EVIDENCE#test#part',
    },
  ],
  key: (of) => ({ pk: instancePartition(of), sk: composed(KIND, of.testKey, partKey(of.part)) }),
  store: (part) => ({ ...part }),
  load: (row) => stored<EvidencePart>(row),
};

/** What the browser said and asked for during an attempt, read from its trace. */
export interface TraceAnalysis extends EvidenceKey {
  /** Zero-based. */
  readonly attempt: number;
  readonly analysis: TraceErrorAnalysis;
}

export const traceAnalyses: Entity<EvidenceKey & Pick<TraceAnalysis, 'attempt'>, TraceAnalysis> = {
  type: 'trace analysis',
  patterns: [
    { question: "What an attempt's trace says", key: 'pk = INSTANCE#org#instance, sk = EVIDENCE#test#TRACE#attempt' },
    {
      question: 'Evidence of a test and what its traces say',
      key: 'pk = INSTANCE#org#instance, sk begins with EVIDENCE#test#',
    },
  ],
  key: (of) => ({ pk: instancePartition(of), sk: composed(KIND, of.testKey, TRACE, String(of.attempt)) }),
  store: ({ analysis, ...key }) => ({ ...key, packed: pack(analysis) }),
  load: (row) => {
    const { packed, ...key } = stored<Omit<TraceAnalysis, 'analysis'> & { readonly packed: Uint8Array }>(row);
    return { ...key, analysis: unpack<TraceErrorAnalysis>(packed) };
  },
};

export type EvidenceRow =
  | { readonly kind: 'part'; readonly part: EvidencePart }
  | { readonly kind: 'trace'; readonly trace: TraceAnalysis };

/** Both in one span. */
export const evidenceRows = {
  load: (row: Attributes): EvidenceRow =>
    'packed' in row
      ? { kind: 'trace', trace: traceAnalyses.load(row) }
      : { kind: 'part', part: evidenceParts.load(row) },
};

export const evidenceSpan = (of: EvidenceKey) => beginningWith(instancePartition(of), prefix(KIND, of.testKey));

/** `version` grows with every message about the test, so that an older one never replaces a newer one. */
export const splitEvidence = (key: EvidenceKey, evidence: Evidence, version: number): EvidencePart[] =>
  split(evidence, version).map((part) => ({ ...part, ...key }));
