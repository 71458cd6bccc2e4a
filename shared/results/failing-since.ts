/** The run since which a test fails, as far as the index of complete runs was read. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { type Run, runs } from '#shared/model/run.ts';
import type { Services } from '#shared/services.ts';
import type { ComparedTest } from './comparison-wire.ts';
import type { Base } from './find-base.ts';
import { RESULT_LIMITS } from './limits.ts';
import { isKnown, type MarkedTest, type MarkedTests, markedTests } from './marked-tests.ts';
import { isoTime } from './test-result.ts';

type Since = NonNullable<ComparedTest['failingSince']>;

/** For tests that failed in the base. One trip per earlier run, all at once. */
export async function failingSince(
  services: Pick<Services, 'table'>,
  base: Base,
  shown: readonly MarkedTest[],
): Promise<(of: MarkedTest) => Since> {
  const limit = RESULT_LIMITS.comparison.marksOfEarlier;
  const earlier = await mapConcurrently(base.before, async (run) => ({
    run,
    failed: await markedTests(services, { run, mark: 'f', limit }),
  }));
  const since = new Map(shown.map((test) => [test.place, sinceOf(test.place, base, earlier)]));
  const shaOf = await commitsOf(services, base, [...since.values()]);
  return ({ place }) => {
    const found = since.get(place) ?? sinceOf(place, base, earlier);
    return { ...found, createdAt: isoTime(found.createdAt), sha: shaOf(found.runId) };
  };
}

/** The index of complete runs has no commits. */
async function commitsOf(
  { table }: Pick<Services, 'table'>,
  { run: base }: Base,
  since: readonly Found[],
): Promise<(runId: string) => string | null> {
  const runIds = [...new Set(since.map(({ runId }) => runId))].filter((runId) => runId !== base.runId);
  const found = await table.getMany(
    runs,
    runIds.map((runId) => ({ organizationId: base.organizationId, runId })),
  );
  const shas = new Map([base, ...found].flatMap((run) => (run ? [[run.runId, run.commit.sha]] : [])));
  return (runId) => shas.get(runId) ?? null;
}

type Found = Omit<Since, 'createdAt' | 'sha'> & Pick<Run, 'createdAt'>;

interface EarlierRun {
  readonly run: Base['before'][number];
  readonly failed: MarkedTests;
}

function sinceOf(place: string, base: Base, earlier: readonly EarlierRun[]): Found {
  const end = earlier.findIndex(({ failed }) => !failed.places.has(place));
  const stopped = end === -1 ? undefined : earlier[end];
  const { runId, createdAt } = earlier[(end === -1 ? earlier.length : end) - 1]?.run ?? base.run;
  const mayBeEarlier = stopped ? !isKnown(stopped.failed, place) : base.hasMore;
  return { runId, createdAt, mayBeEarlier };
}
