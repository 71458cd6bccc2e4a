/** Simulates a hostile user with a valid key, who sends data that once made the service hang or take many seconds. */
import { gzipSync } from 'node:zlib';
import type { User } from './users.ts';

/** A file for which format detection once took exponential time. */
const UNDECIDED = Buffer.from(`<?x?>${' '.repeat(40)}x`);
/** Reports that take less than 100 KB when compressed, and inflate to about 20 MB. */
const REPORTS: readonly Uint8Array[] = [
  `<testsuites>${'<testsuite name="s"><testcase name="t"/></testsuite>'.repeat(400_000)}</testsuites>`,
  `{"results":{"tool":{"name":"x"},"summary":{},"tests":[${'{"name":"t","status":"passed","duration":1},'.repeat(400_000)}{}]}}`,
].map((text) => gzipSync(text));

const SECRET_LIKE = 'authorization='.repeat(10_000);

export const poisoner: User = async (send, { projectId, readWrite }, turn) => {
  const authorization = `Bearer ${readWrite}`;
  const path = `/v1/projects/${projectId}/imports?branch=poison&group=poison${turn}`;
  const file = {
    method: 'POST',
    path,
    headers: { authorization, 'content-type': 'application/octet-stream' },
  } as const;
  await send({ ...file, status: 400, body: UNDECIDED });
  const report = REPORTS[turn % REPORTS.length];
  await send({
    ...file,
    status: 200,
    headers: { ...file.headers, 'content-encoding': 'gzip' },
    ...(report ? { body: report } : {}),
  });
  const tests = [{ testId: 'poison', title: ['poison'], spec: 'poison.spec.ts', tags: [] }];
  const headers = { 'x-currents-key': readWrite };
  const errors = [{ message: SECRET_LIKE, stack: SECRET_LIKE }];
  const started = await send({
    status: 200,
    method: 'POST',
    path: '/v1/runs',
    headers,
    body: {
      projectId,
      ciBuildId: `poison ${crypto.randomUUID()}`,
      group: 'soak',
      machineId: 'poison',
      tags: [],
      fullTestSuite: [{ name: 'soak', tags: [], tests }],
      commit: { branch: 'poison' },
      platform: {},
      instances: [
        {
          groupId: 'soak',
          spec: 'poison.spec.ts',
          startTime: new Date().toISOString(),
          results: {
            stats: {},
            tests: [
              {
                testId: 'poison',
                title: ['poison'],
                state: 'failed',
                isFlaky: false,
                expectedStatus: 'passed',
                attempts: [
                  {
                    attempt: 0,
                    status: 'failed',
                    _s: 'failed',
                    duration: 1,
                    steps: [],
                    stdout: [SECRET_LIKE],
                    stderr: [],
                    errors,
                  },
                ],
              },
            ],
          },
        },
      ],
    },
  });
  const context = `/v1/context?run_id=${started['runId']}&format=md`;
  await send({ status: 200, method: 'GET', path: context, headers: { authorization } });
};
