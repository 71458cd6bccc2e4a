/** Tells whether a test that fails now was flaky in earlier runs. Then the change is not the first suspect. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { history, historySpan } from '#shared/model/history-row.ts';
import type { Run } from '#shared/model/run.ts';
import type { Services } from '#shared/services.ts';
import type { ComparedTest, RunComparison, Verdict } from './comparison-wire.ts';
import { RESULT_LIMITS } from './limits.ts';
import { isoTime } from './test-result.ts';

type KnownFlaky = NonNullable<ComparedTest['knownFlaky']>;

/** Failures that the run may have caused. */
const SUSPECT: ReadonlySet<Verdict> = new Set(['new', 'failed']);

export async function withKnownFlaky(
  services: Pick<Services, 'table'>,
  run: Run,
  comparison: RunComparison,
): Promise<RunComparison> {
  const suspects = comparison.sections.filter(({ verdict }) => SUSPECT.has(verdict)).flatMap(({ tests }) => tests);
  const flakyOf = await knownFlaky(services, run, [...new Set(suspects.map(({ signature }) => signature))]);
  const told = (test: ComparedTest): ComparedTest => {
    const known = flakyOf(test.signature);
    return known ? { ...test, knownFlaky: known } : test;
  };
  return {
    ...comparison,
    sections: comparison.sections.map((section) =>
      SUSPECT.has(section.verdict) ? { ...section, tests: section.tests.map(told) } : section,
    ),
  };
}

/** One trip per test, all at once. Reads no execution that simply passed. */
async function knownFlaky(
  { table }: Pick<Services, 'table'>,
  { organizationId, createdAt }: Pick<Run, 'organizationId' | 'createdAt'>,
  signatures: readonly string[],
): Promise<(signature: string) => KnownFlaky | undefined> {
  const { days, events, executions } = RESULT_LIMITS.flaky;
  const from = createdAt - days * 86_400_000;
  const found = await mapConcurrently(signatures, async (signature) => {
    const span = historySpan({ organizationId, signature, list: 'notable' }, from, createdAt);
    const { rows } = await table.query(history, span, { limit: executions, newestFirst: true });
    return rows.map(({ item }) => item).filter((row) => row.flaky);
  });
  const bySignature = new Map(signatures.map((signature, index) => [signature, found[index] ?? []]));
  return (signature) => {
    const rows = bySignature.get(signature) ?? [];
    const [latest] = rows;
    if (!latest || rows.length < events) return undefined;
    return { events: rows.length, lastEventAt: isoTime(latest.recordedAt) };
  };
}
