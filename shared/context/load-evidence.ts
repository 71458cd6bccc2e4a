/** All that is stored of one test: its evidence, what its traces say, its files. One test costs two bounded spans. */
import { type Artifact, artifacts, artifactsOfTest } from '../resources/artifact.ts';
import {
  type Evidence,
  type EvidenceKey,
  evidenceRows,
  evidenceSpan,
  type TraceAnalysis,
} from '../resources/evidence.ts';
import type { Services } from '../services.ts';
import { join } from '../table/parts.ts';

export interface LoadedEvidence {
  readonly evidence: Evidence;
  readonly traces: readonly TraceAnalysis[];
  readonly files: readonly Artifact[];
}

/** `undefined` for a test that passed clean, or is not known. */
export async function loadEvidence({ table }: Services, key: EvidenceKey): Promise<LoadedEvidence | undefined> {
  const [rows, files] = await Promise.all([
    table.queryAll(evidenceRows, evidenceSpan(key)),
    table.queryAll(artifacts, artifactsOfTest(key)),
  ]);
  const evidence = join<Evidence>(rows.flatMap((row) => (row.kind === 'part' ? row.part : [])));
  return evidence && { evidence, traces: rows.flatMap((row) => (row.kind === 'trace' ? row.trace : [])), files };
}
