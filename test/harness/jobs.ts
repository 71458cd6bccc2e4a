/**
 * Jobs of one CI build that report tests in the ways that clients use. A job can be started, can report its tests and
 * can end at different times, so that several jobs can be interleaved.
 */
import { expect } from 'vitest';
import type { Answer } from './client.ts';
import { dataOf, liveGroup, liveInstances, sendBatch, sendEnd, sendStart, startBody } from './live-recording.ts';
import { idempotencyKey } from './recording.ts';
import {
  failed,
  partsOf,
  passed,
  runBody,
  suiteGroup,
  type TestName,
  type TestState,
  testIdOf,
} from './recording-messages.ts';
import type { Tenant } from './service.ts';

export type Outcome = 'passed' | 'failed';

export interface Job {
  readonly machineId: string;
  readonly group: string;
  /** Names such as `cart.spec.ts > sums`, in the order in which they run. */
  readonly tests: Readonly<Record<TestName, Outcome>>;
  /** Which job of a workflow of GitHub Actions this is. Default: the clients name no job. */
  readonly ci?: CiTry;
}

interface CiTry {
  readonly job: string;
  readonly runId: string;
  readonly attempt: number;
}

export interface RunningJob {
  start(): Promise<void>;
  /** Reports one more test. Returns false if there was none left. */
  report(): Promise<boolean>;
  end(): Promise<void>;
}

type Stage = Pick<Tenant, 'api' | 'projectId'>;
type Way = (stage: Stage, ciBuildId: string, job: Job) => RunningJob;

const stateOf = (outcome: Outcome): TestState => (outcome === 'failed' ? failed() : passed());
const succeeded = (answer: Answer) => expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 });

/** One of our own reporters: start, one batch per test, end. */
const own: Way = (stage, ciBuildId, { machineId, group, tests, ci }) => {
  const job = ci && { name: ci.job, attempt: ci.attempt, build: ci.runId };
  const left = Object.entries(tests);
  let runId = '';
  let sequence = 0;
  return {
    start: async () => {
      const body = startBody([liveGroup(group, Object.keys(tests))], { ciBuildId, machineId, ...(job && { job }) });
      ({ runId } = await dataOf(sendStart(stage, body)));
    },
    report: async () => {
      const [next] = left.splice(0, 1);
      if (!next) return false;
      const [name, outcome] = next;
      const instances = liveInstances(group, { [name]: stateOf(outcome) });
      await dataOf(sendBatch(stage, runId, { machineId, sequence, instances }));
      sequence += 1;
      return true;
    },
    end: async () => {
      await dataOf(sendEnd(stage, runId, { machineId, batches: sequence }));
    },
  };
};

/** The published reporter for Playwright: joins, claims each spec file, and sends one message per test. */
const published: Way = ({ api, projectId }, ciBuildId, { machineId, group, tests, ci }) => {
  const params = ci && { githubRunId: ci.runId, githubRunAttempt: String(ci.attempt), githubJob: ci.job };
  const left = Object.entries(tests);
  const claimed = new Map<string, string>();
  let runId = '';
  return {
    start: async () => {
      const suite = [suiteGroup(group, Object.keys(tests))];
      const more = { ciBuildId, machineId, tests: suite[0]?.tests, ...(params && { ci: { params } }) };
      const body = runBody(projectId, suite, more);
      const answer = await api.post('@/runs/v1', body, idempotencyKey());
      succeeded(answer);
      runId = answer.body.runId;
    },
    report: async () => {
      const [next] = left.splice(0, 1);
      if (!next) return false;
      const [name, outcome] = next;
      const { spec, title } = partsOf(name);
      const of = { runId, groupId: group, machineId, spec };
      if (!claimed.has(spec)) {
        const answer = await api.post(`@/runs/${runId}/pw/instances/v1`, of, idempotencyKey());
        succeeded(answer);
        claimed.set(spec, answer.body.instanceId);
      }
      const test = { testId: testIdOf(group, name), title, expectedStatus: 'passed', instanceId: claimed.get(spec) };
      succeeded(await api.post('@/test-record', { ...of, ...test, _t: 0, ...stateOf(outcome) }, idempotencyKey()));
      return true;
    },
    end: async () => {},
  };
};

const junitOf = (tests: Job['tests']): string => {
  const suites = [...Map.groupBy(Object.entries(tests), ([name]) => partsOf(name).spec)].map(([spec, own]) => {
    const cases = own.map(([name, outcome]) => {
      const child = outcome === 'failed' ? '<failure message="expected 2, received 3"/>' : '';
      return `<testcase name="${partsOf(name).title.join(' ')}" file="${spec}" time="0.5">${child}</testcase>`;
    });
    return `<testsuite name="${spec}" timestamp="2026-11-02T09:00:00Z">${cases.join('')}</testsuite>`;
  });
  return `<?xml version="1.0"?><testsuites>${suites.join('')}</testsuites>`;
};

/** `more` is the part of the query that differs between clients. The name makes the report of each job another import. */
const importedAs =
  (more: string): Way =>
  ({ api, projectId }, ciBuildId, { machineId, group, tests, ci }) => {
    const ofTry = ci ? `&githubRunId=${ci.runId}&githubRunAttempt=${ci.attempt}&job=${ci.job}` : '';
    let isSent = false;
    return {
      start: async () => {},
      report: async () => {
        if (isSent) return false;
        isSent = true;
        const query = `ciBuildId=${ciBuildId}&group=${group}&name=${machineId}.xml${ofTry}${more}`;
        succeeded(await api.send('POST', `/projects/${projectId}/imports?${query}`, junitOf(tests)));
        return true;
      },
      end: async () => {},
    };
  };

export const WAYS = {
  'own reporter': own,
  'published reporter': published,
  import: importedAs(''),
  // The command line also says how the job ended.
  'command line': (stage, ciBuildId, job) => {
    const hasFailed = Object.values(job.tests).includes('failed');
    return importedAs(`&status=${hasFailed ? 'failed' : 'passed'}&branch=main`)(stage, ciBuildId, job);
  },
} as const satisfies Readonly<Record<string, Way>>;
export type WayName = keyof typeof WAYS;
