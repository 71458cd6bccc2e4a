/** Loads all that is stored about a test: record, evidence, trace analyses, files. Takes two queries of limited size. */

import { joinPacked } from '#shared/engine/table/parts.ts';
import { type Artifact, artifacts, getTestArtifactsSpan } from '#shared/model/results/artifact.ts';
import { type EvidencePart, getTestRowsSpan, type PackedTrace, testRows } from '#shared/model/results/evidence.ts';
import type { RecordedTest } from '#shared/model/results/instance-details.ts';
import type { RecordKey, TestRecord } from '#shared/model/results/test-record.ts';
import { sortByAttachment } from '#shared/results/instances/file-kind.ts';
import { toRecordedTest } from '#shared/results/instances/instance-details.ts';
import type { Services } from '#shared/services.ts';

export interface LoadedTest extends Pick<TestRecord, 'projectId' | 'groupId' | 'spec' | 'finalAt'> {
  readonly test: RecordedTest;
  /** The evidence in compressed form. It is unpacked only if the size limit of the failure context allows it. */
  readonly evidence: Uint8Array | undefined;
  readonly traces: readonly PackedTrace[];
  readonly files: readonly Artifact[];
}

/** Returns `undefined` if the test has no record of its own. */
export async function loadEvidence({ table }: Services, key: RecordKey): Promise<LoadedTest | undefined> {
  const [rows, files] = await Promise.all([
    table.queryAll(testRows, getTestRowsSpan(key)),
    table.queryAll(artifacts, getTestArtifactsSpan(key)),
  ]);
  const record = rows.find((row) => row.kind === 'record')?.record;
  if (!record) return undefined;
  const { projectId, groupId, spec, finalAt } = record;
  const parts: EvidencePart[] = rows.flatMap((row) => (row.kind === 'part' ? row.part : []));
  return {
    projectId,
    groupId,
    spec,
    finalAt,
    test: toRecordedTest(record),
    evidence: joinPacked(parts),
    traces: rows.flatMap((row) => (row.kind === 'trace' ? row.trace : [])),
    files: sortByAttachment(files),
  };
}
