/**
 * §2.4 What a test that failed or was flaky left behind: all its attempts with steps and output, in one packed item.
 * Asked for: by test, with what was read from its traces. A test that passed clean has none, and costs nothing.
 */
import { beginningWith, type Entity } from '../table/entity.ts';
import { composed, prefix } from '../table/keys.ts';
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

export const evidenceSpan = (of: EvidenceKey) => beginningWith(instancePartition(of), prefix(KIND, of.testKey));

/** `version` grows with every message about the test, so that an older one never replaces a newer one. */
export const splitEvidence = (key: EvidenceKey, evidence: Evidence, version: number): EvidencePart[] =>
  split(evidence, version).map((part) => ({ ...part, ...key }));
