/** A project with three days of history, for tests of pages that show change over time. */
import { compileRuns } from '#test/harness/analytics.ts';
import { uploadRun } from '#test/harness/recording-batch.ts';
import { attempt, error, failed, flaky, passed } from '#test/harness/recording-messages.ts';
import { clock, service } from '#test/harness/service.ts';
import { type Shown, signedIn } from '#test/harness/visitor.ts';

export const DAY = 86_400_000;
export const named = (title: string): string => `cart.spec.ts > ${title}`;
export const failingWith = (message: string) => failed({ attempts: [attempt('failed', { errors: [error(message)] })] });

/**
 * Records two runs a day for three days. All runs test one commit by Alex Doe. The test `breaks` fails in the last
 * three runs.
 */
async function stage() {
  const here = await service();
  for (let run = 0; run < 6; run += 1) {
    const tests = {
      [named('flips')]: run % 2 === 0 ? flaky() : passed(),
      [named('breaks')]: run < 3 ? passed() : failingWith('Error: card 17 was declined'),
      [named('pays')]: run === 5 ? failingWith('Error: card 4711 was declined') : passed(),
      'pay.spec.ts > is fine': passed(),
    };
    await uploadRun(here, tests, { ciBuildId: `build-${run}` });
    clock.advance(DAY / 2);
  }
  await compileRuns(here);
  const member = await signedIn(here, 'member');
  const project = `/${here.organizationId}/${here.projectId}`;
  return { ...here, member, project, open: (page: string) => member.get(project + page), now: Date.now() };
}

let shared: ReturnType<typeof stage> | undefined;

/** A project with three days of history. The tests of a file share it, so they must only read it. */
export async function sharedStage() {
  shared ??= stage();
  const made = await shared;
  clock.set(made.now);
  return made;
}

export const places = ({ text }: Shown, titles: readonly string[]): number[] =>
  titles.map((title) => text.indexOf(title));
export const isSorted = (numbers: readonly number[]): boolean =>
  numbers.every((number, index) => number >= 0 && number > (numbers[index - 1] ?? -1));
