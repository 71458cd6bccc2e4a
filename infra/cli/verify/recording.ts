/** Records a small run as the reporter `@currents/playwright` does, and reads it back. */

import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { makeStorySender, type StorySender } from '#infra/demo/recording/sender.ts';
import { describeAnswer, parseAnswerData } from './answers.ts';
import { defineChecks } from './check.ts';
import { type CheckedDeployment, pollUntilFound } from './deployment.ts';
import { ATTACK_LIKE_MESSAGE } from './firewall.ts';
import { must, requireFinding, Wrong } from './outcome.ts';

const GROUP = 'verify';
const SPEC = 'verify.spec.ts';
const FILE = `Sent by npm run verify\n${'A file of a failed test.\n'.repeat(40)}`;

const TESTS = [
  { testId: 'verify-passes', title: ['verify', 'passes'], state: 'passed', errors: [] },
  {
    testId: 'verify-fails',
    title: ['verify', 'fails'],
    state: 'failed',
    errors: [{ message: `Error: as intended: ${ATTACK_LIKE_MESSAGE}` }],
  },
] as const;

const Counts = z.object({ overall: z.int(), passes: z.int(), failures: z.int() });
const Run = z.object({
  completionState: z.string(),
  groups: z.tuple([z.object({ tests: Counts })]),
  specs: z.tuple([z.object({ instanceId: z.string() })]),
});
const Attachment = z.object({ readUrl: z.string(), bytes: z.int().nullable() });
const Instance = z.object({ results: z.object({ attachments: z.tuple([Attachment]) }) });

async function begin(send: StorySender, projectId: string) {
  const ciBuildId = `verify-${randomUUID()}`;
  const machineId = `${ciBuildId}-machine`;
  const tests = TESTS.map(({ testId }) => ({ testId, spec: SPEC }));
  const { runId = '' } = await send(
    'POST',
    '/runs/v1',
    {
      projectId,
      ciBuildId,
      group: GROUP,
      machineId,
      ci: { params: {}, ciBuildId: { source: 'user', value: ciBuildId } },
      commit: { message: 'Recorded by npm run verify, which deletes it' },
      framework: { type: 'pw', version: '1.65.1', clientVersion: '2.5.0' },
      tags: [],
      fullTestSuite: [{ name: GROUP, tags: [], tests }],
    },
    machineId,
  );
  return { runId, machineId };
}

/** Returns the upload link for the file of the failed test. */
async function report(send: StorySender, { runId, machineId }: { readonly runId: string; readonly machineId: string }) {
  const worker = { workerIndex: 0, parallelIndex: 0 };
  const place = { runId, groupId: GROUP, machineId, spec: SPEC };
  const { instanceId } = await send('POST', `/runs/${runId}/pw/instances/v1`, { ...place, worker });
  let uploadUrl = '';
  for (const { testId, title, state, errors } of TESTS) {
    const attempt = { _s: state, attempt: 0, status: state, startTime: new Date().toISOString(), duration: 10, errors };
    const message = { _t: 0, _s: state, _d: true, _f: false, attempts: [{ ...attempt, ...worker }], annotations: [] };
    const test = { ...message, ...place, instanceId, testId, title, expectedStatus: 'passed' };
    const { recordId } = await send('POST', '/test-record', test);
    if (state === 'passed') continue;
    const file = { type: 'attachment', name: 'note', filename: 'note.txt', artifactId: 'note', attemptId: 0 };
    const registration = { ...file, contentType: 'text/plain' };
    uploadUrl = (await send('POST', `/artifacts/test-record/${recordId}`, registration)).uploadUrl ?? '';
  }
  return uploadUrl;
}

const readRun = async ({ askAsKey }: CheckedDeployment, runId: string) =>
  parseAnswerData(Run, await askAsKey('GET', `/v1/runs/${runId}`));

export const RECORDING_CHECKS = defineChecks('Recording', [
  {
    name: 'A run with a file is recorded, in the protocol of @currents/playwright',
    fix: '401 or 403: use an API key with Read & Write. 5xx: read the logs of the recording functions, such as /aws/lambda/rundown-<env>-createRun. An answer of a firewall: see Firewall in infra/README.md. If the file is refused, check the clock of this computer and the policy of the bucket',
    run: async ({ ask, origin, key, signal }, findings) => {
      const { projectId } = requireFinding(findings.project, 'project');
      const send = makeStorySender({ recordUrl: origin, recordKey: key }, signal);
      const run = await begin(send, projectId);
      findings.run = { runId: run.runId, isReported: false };
      const uploadUrl = await report(send, run);
      const upload = await ask('PUT', uploadUrl, { headers: { 'content-type': 'text/plain' }, body: FILE });
      must(upload.status === 200, `The upload of a file: ${describeAnswer(upload)}, expected 200`);
      findings.run = { runId: run.runId, isReported: true };
      return [`run ${run.runId}`];
    },
  },
  {
    name: 'The run is complete, and its counts are right',
    fix: 'Read the log /aws/lambda/rundown-<env>-createTestRecord',
    run: async (deployment, findings) => {
      const { runId } = requireReportedRun(findings.run);
      const isComplete = async () => (await readRun(deployment, runId)).completionState === 'COMPLETE' || undefined;
      await pollUntilFound(deployment, isComplete);
      const { completionState, groups } = await readRun(deployment, runId);
      must(completionState === 'COMPLETE', `The run is ${completionState}, although all of its tests were reported`);
      const { overall, passes, failures } = groups[0].tests;
      const counts = `${overall} tests, ${passes} passed, ${failures} failed`;
      must(counts === '2 tests, 1 passed, 1 failed', `The run has ${counts}, not 2, 1 and 1`);
    },
  },
  {
    name: 'The file is confirmed, and its link works',
    fix: 'Read the log /aws/lambda/rundown-<env>-confirmArtifact, and look for messages in the queue rundown-<env>-confirmArtifact-dead-letters. If both are empty, the bucket does not notify the queue (see Decisions in infra/stacks/README.md)',
    run: async (deployment, findings) => {
      const { runId } = requireReportedRun(findings.run);
      const [{ instanceId }] = (await readRun(deployment, runId)).specs;
      const file = await pollUntilFound(deployment, async () => {
        const { results } = parseAnswerData(Instance, await deployment.askAsKey('GET', `/v1/instances/${instanceId}`));
        const [attachment] = results.attachments;
        return attachment.bytes === null ? undefined : attachment;
      });
      if (!file) throw new Wrong('The file still has no size after 90 seconds, so its upload was not confirmed');
      must(file.bytes === FILE.length, `The file has ${file.bytes} bytes, not ${FILE.length}`);
      const read = await deployment.ask('GET', file.readUrl);
      must(read.text === FILE, `The link to the file: ${describeAnswer(read)}, expected the content of the file`);
    },
  },
]);

/** Skips the check if the results or the file of the run were not sent. */
export const requireReportedRun = (run: { readonly runId: string; readonly isReported: boolean } | undefined) =>
  requireFinding(run?.isReported ? run : undefined, 'completely reported run');
