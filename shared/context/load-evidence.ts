/** All that is stored of one test: record, evidence, what its traces say, files. One test costs two bounded spans. */
import { type Artifact, artifacts, artifactsOfTest } from '../resources/artifact.ts';
import {
  type Evidence,
  type EvidencePart,
  type TestKey,
  type TraceAnalysis,
  testRows,
  testSpan,
} from '../resources/evidence.ts';
import type { RecordedTest } from '../resources/instance-details.ts';
import type { TestRecord } from '../resources/test-record.ts';
import { recordedTest } from '../results/instance-details.ts';
import type { Services } from '../services.ts';
import { join } from '../table/parts.ts';

export interface LoadedTest extends Pick<TestRecord, 'projectId' | 'groupId' | 'spec'> {
  readonly test: RecordedTest;
  readonly evidence: Evidence;
  readonly traces: readonly TraceAnalysis[];
  readonly files: readonly Artifact[];
}

/** `undefined` for a test that has no record of its own. */
export async function loadEvidence({ table }: Services, key: TestKey): Promise<LoadedTest | undefined> {
  const [rows, files] = await Promise.all([
    table.queryAll(testRows, testSpan(key)),
    table.queryAll(artifacts, artifactsOfTest(key)),
  ]);
  const record = rows.find((row) => row.kind === 'record')?.record;
  if (!record) return undefined;
  const { projectId, groupId, spec } = record;
  const parts: EvidencePart[] = rows.flatMap((row) => (row.kind === 'part' ? row.part : []));
  return {
    projectId,
    groupId,
    spec,
    test: recordedTest(record),
    evidence: join<Evidence>(parts) ?? [],
    traces: rows.flatMap((row) => (row.kind === 'trace' ? row.trace : [])),
    files,
  };
}
