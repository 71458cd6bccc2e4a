/** All ways in which two jobs of one name may end in three tries of a build. The client decides and asks as in CI. */
import { expect, test } from 'vitest';
import { readCiBuild } from '#infra/client/settings/ci-build.ts';
import { findLeg, findLegProblem } from '#infra/client/settings/leg.ts';
import { findCiJob, readCiVariables } from '#shared/model/runs/ci-job.ts';
import { NAMINGS, STATES, type State, TELL_APART, type Variables } from '#test/client/worlds.ts';
import { sampled } from '#test/harness/cases.ts';
import { dataOf } from '#test/harness/live-recording.ts';
import { service, type Tenant } from '#test/harness/service.ts';
import { imported, junit } from '#test/imports/reports.ts';

const SUITE = ['a.test.ts', 'b.test.ts', 'c.test.ts'];
const FAILING = 'b.test.ts';
const SYSTEMS: readonly (readonly [variable: string, system: string])[] = [
  ['GITHUB_ACTIONS', 'GITHUB_ACTIONS'],
  ['GITLAB_CI', 'GITLAB'],
  ['BUILDKITE', 'BUILDKITE'],
];

interface JobOfTry {
  readonly state: State;
  readonly ran: readonly string[];
  readonly passed: boolean;
}

let processes = 0;

async function askWhatToRun({ api, projectId }: Tenant, env: Variables, leg: string): Promise<readonly string[]> {
  if (findLegProblem(env) !== undefined) return SUITE;
  processes += 1;
  const ciBuildId = findBuild(env);
  const job = findCiJob(readCiVariables(env)) ?? null;
  const names = { leg, process: `p${processes}`, group: env['RUNDOWN_GROUP'] ?? null };
  const answer = await dataOf(api.post(`/projects/${projectId}/last-failed`, { ciBuildId, job, ...names }));
  if (answer.repeat === 'nothing') return [];
  const specs: readonly string[] = answer.tests.map(({ spec }: { readonly spec: string }) => spec);
  return answer.repeat === 'tests' ? [...new Set(specs)] : SUITE;
}

const findBuild = (env: Variables): string =>
  readCiBuild(env, SYSTEMS.find(([variable]) => env[variable])?.[1] ?? null).ciBuildId ?? 'none';

async function runJob(tenant: Tenant, state: State, env: Variables): Promise<JobOfTry> {
  if (state === 'is lost') return { state, ran: [], passed: false };
  const leg = findLeg(env, env['RUNDOWN_GROUP'], ['command']);
  const specs = await askWhatToRun(tenant, env, leg);
  if (specs.length === 0) return { state, ran: [], passed: true };
  if (state === 'dies') return { state, ran: [], passed: false };
  const outcomes = specs.map((spec) => [spec, state === 'fails' && spec === FAILING ? 'failed' : 'passed'] as const);
  const report = junit(Object.fromEntries(outcomes.map(([spec, outcome]) => [spec, { t: outcome }])));
  const { name, attempt, id, build } = findCiJob(readCiVariables(env)) ?? {};
  const query = new URLSearchParams({ ciBuildId: findBuild(env), leg });
  const facts = { job: name, jobAttempt: attempt, jobId: id, jobBuild: build, group: env['RUNDOWN_GROUP'] };
  for (const [key, value] of Object.entries(facts)) if (value !== undefined) query.set(key, String(value));
  await imported(tenant, report, String(query));
  return { state, ran: specs, passed: !outcomes.some(([, outcome]) => outcome === 'failed') };
}

const PAIRS = STATES.flatMap((one) => STATES.map((other) => [one, other] as const));
const LAST = ['passes', 'passes'] as const;
/** In each try, all jobs that did not pass run again, or all jobs do. */
const WORLDS = Object.keys(NAMINGS).flatMap((name) =>
  PAIRS.flatMap((first) =>
    PAIRS.flatMap((second) => [false, true].map((isAll) => ({ name, isAll, tries: [first, second, LAST] }))),
  ),
);
const SAMPLE = 37;

test.each(Object.keys(NAMINGS))(
  'No job passes without having run and passed each of its tests in one of its tries: %s',
  async (name) => {
    const tenant = await service();
    let build = 0;
    for (const { tries, isAll } of sampled(
      WORLDS.filter((world) => world.name === name),
      SAMPLE,
    )) {
      build += 1;
      const jobs: JobOfTry[][] = [[], []];
      for (const [index, states] of tries.entries())
        for (const [leg, ofJob] of jobs.entries()) {
          if (!isAll && ofJob.at(-1)?.passed) continue;
          const env = NAMINGS[name]?.(String(7000 + build), leg + 1, index + 1) ?? {};
          ofJob.push(await runJob(tenant, states[leg] ?? 'passes', env));
        }
      const world = JSON.stringify({ tries, isAll, jobs });
      for (const ofJob of jobs) {
        const done = new Set<string>();
        for (const { state, ran, passed } of ofJob) {
          for (const spec of ran) {
            if (state === 'fails' && spec === FAILING) done.delete(spec);
            else done.add(spec);
          }
          if (passed) expect([...done].toSorted(), world).toEqual(SUITE);
        }
        const [first, second] = ofJob;
        if (
          TELL_APART.includes(name) &&
          first?.state === 'fails' &&
          second &&
          !['is lost', 'dies'].includes(second.state)
        )
          expect(second.ran, world).toEqual([FAILING]);
      }
    }
  },
);
