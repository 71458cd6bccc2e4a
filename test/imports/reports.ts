/** Report files for tests, and the requests that import them. */
import { expect } from 'vitest';
import type { Answer } from '#test/harness/client.ts';
import type { Tenant } from '#test/harness/service.ts';

type Outcome = 'passed' | 'failed' | 'skipped';

const CHILD: Readonly<Record<Outcome, string>> = {
  passed: '',
  failed: '<failure message="expected 2, received 3">at cart.test.ts:7:1</failure>',
  skipped: '<skipped/>',
};

/** Builds a JUnit file from the outcomes of tests, which are keyed by spec file and title. */
export const junit = (specs: Readonly<Record<string, Readonly<Record<string, Outcome>>>>): string => {
  const suites = Object.entries(specs).map(([spec, tests]) => {
    const cases = Object.entries(tests).map(
      ([title, outcome]) => `<testcase name="${title}" file="${spec}" time="0.5">${CHILD[outcome]}</testcase>`,
    );
    return `<testsuite name="${spec}" timestamp="2026-11-02T09:00:00Z">${cases.join('\n')}</testsuite>`;
  });
  return `<?xml version="1.0"?>\n<testsuites>\n${suites.join('\n')}\n</testsuites>`;
};

type Sender = Pick<Tenant, 'api' | 'projectId'>;

export const sendReport = (
  { api, projectId }: Sender,
  report: string | Uint8Array<ArrayBuffer>,
  query = '',
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> => api.send('POST', `/projects/${projectId}/imports?${query}`, report, { headers });

/** Sends a report. Expects success, and returns the import. */
export async function imported(...sent: Parameters<typeof sendReport>): Promise<Answer['body']> {
  const answer = await sendReport(...sent);
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 });
  return answer.body.data;
}

/** A report with `specs` spec files of `tests` tests each. The first test of each spec file failed. */
export const manyTests = ({ specs, tests }: { specs: number; tests: number }): string =>
  junit(
    Object.fromEntries(
      Array.from({ length: specs }, (_, spec) => [
        `part-${spec}.test.ts`,
        Object.fromEntries(
          Array.from({ length: tests }, (__, index) => [`test ${index}`, index === 0 ? 'failed' : 'passed'] as const),
        ),
      ]),
    ),
  );

/** Requests an upload link, and uploads a file with it. */
export async function linked({ api, projectId }: Sender, file: Uint8Array<ArrayBuffer>, query: string) {
  const { status, body } = await api.send('POST', `/projects/${projectId}/imports/links?${query}`);
  expect(status).toBe(201);
  const answer = await fetch(body.data.uploadUrl, { method: 'PUT', body: file });
  return { importId: body.data.importId, status: answer.status };
}
