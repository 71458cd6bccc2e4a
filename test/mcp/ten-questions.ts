/**
 * Simulates an agent that answers ten questions which people ask about their tests, in one conversation about the demo.
 * An answer counts if it contains the facts that the question asks for.
 */
import * as z from 'zod';
import { ask } from './agents.ts';

interface Conversation {
  readonly calls: number;
  /** Of all answers, without the data of pictures. */
  readonly characters: number;
  /** The questions whose answers lack a fact. */
  readonly incompleteQuestions: readonly string[];
}

const Result = z.object({
  content: z.array(
    z.union([
      z.object({ type: z.literal('text'), text: z.string() }),
      z.object({ type: z.literal('image'), mimeType: z.string(), data: z.string() }),
    ]),
  ),
});

const DECLINED = 'shows why the bank declined a card';
const BELOW_COST = 'never sells below the cost price';

/** Each call takes its ids from earlier answers, as a model would. */
export async function askTenQuestions(origin: string, key: string, project: string): Promise<Conversation> {
  const answers: string[] = [];
  const call = async (name: string, args: object): Promise<string> => {
    const { result } = await ask(origin, key, 'tools/call', { name, arguments: args });
    const texts = Result.parse(result).content.map((part) => (part.type === 'text' ? part.text : part.mimeType));
    const answer = texts.join('\n');
    answers.push(answer);
    return answer;
  };
  const find = (text: string, pattern: RegExp): string => {
    const match = pattern.exec(text)?.[1];
    if (match === undefined) throw new Error(`The answer does not contain ${pattern}: ${text.slice(0, 500)}`);
    return match;
  };
  const incompleteQuestions: string[] = [];
  const check = (question: string, answer: string, facts: readonly (string | RegExp)[]): void => {
    const isComplete = facts.every((fact) => (typeof fact === 'string' ? answer.includes(fact) : fact.test(answer)));
    if (!isComplete) incompleteQuestions.push(question);
  };

  const projectId = find(await call('list_projects', {}), new RegExp(`"projectId":"(\\w+)","name":"${project}"`));
  const runs = await call('list_runs', { projectId, branches: ['main'], limit: 2 });
  const runId = find(runs, /"runId":"(\w+)","status":"FAILED","completionState":"COMPLETE"/);
  const run = await call('get_context', { run_id: runId });
  check('What failed on main, and why?', run, [DECLINED, 'received "Something went wrong."', BELOW_COST, '18.9']);

  const comparison = await call('get_run_comparison', { runId });
  const [newFailures = '', stillFailing = ''] = comparison.split('{"verdict":').slice(1);
  check('Is it new, known or flaky?', comparison, [/"verdict":"flaky","total":1/]);
  check('Is it new, known or flaky?', newFailures, ['"new"', DECLINED]);
  check('Is it new, known or flaky?', stillFailing, ['"still_failing"', BELOW_COST]);
  check('Which commit broke it?', newFailures, [
    /"failingSince":\{"runId":"\w+"[^}]*"sha":"\w{40}"[^}]*"authorName":"Sam"/,
  ]);

  const test = JSON.parse(find(run, /`get_context (\{"instance_id":[^`]*\})`/));
  const failure = await call('get_context', { ...test, screenshot: true });
  check('What does the page look like?', failure, ['- alert: Something went wrong.', /\nimage\/png$/]);
  check('Which line and step failed?', failure, [
    'payment.spec.ts:41:42',
    '> 41 |',
    'Expect "toHaveText" (expect, 5.0 s) <<< FAILED',
  ]);

  const line = find(stillFailing, /"error":("(?:[^"\\]|\\.)*")/);
  const sameErrors = await call('list_errors', { projectId, error_message: JSON.parse(line) });
  check('Where else does this error occur?', sameErrors, [
    BELOW_COST,
    /"runs":(?:[2-9]|\d\d)/,
    /"latestRuns":\["\w+","\w+"/,
  ]);

  const flakyTests = await call('list_flaky_tests', { projectId });
  check('Which tests should be quarantined?', flakyTests, [/"state":"flaky"[^\n]*"reserves the last piece in stock"/]);

  const pullRequests = await call('list_pull_requests', { projectId, limit: 2 });
  const ofPullRequest = find(pullRequests, /"id":"214"[^\n]*\n\{"runId":"(\w+)"/);
  const [, added = ''] = (await call('get_run_comparison', { runId: ofPullRequest })).split('{"verdict":');
  check('What does pull request 214 break that works on main?', added, [
    '"new"',
    'zooms into a picture',
    '"knownFlaky"',
  ]);

  const week = new Date(Date.now() - WEEK_MILLISECONDS).toISOString();
  const files = await call('list_spec_files', { projectId, order: 'avgDuration', limit: 3, date_start: week });
  const durations = [...files.matchAll(/"avgDuration":(\d+)/g)].map(([, duration]) => Number(duration));
  const isSorted = durations.every((duration, index) => duration <= (durations[index - 1] ?? duration));
  check('Which spec files are the slowest this week?', isSorted ? files : '', [
    /"spec":"[^"]+"[\s\S]*"spec":"[^"]+"[\s\S]*"spec":"/,
  ]);

  const integrationId = find(await call('list_integrations', {}), /"integrationId":"([^"]+)"/);
  const trackerProjectId = find(await call('list_tracker_projects', { integrationId }), /"id":"([^"]+)"/);
  const types = await call('list_issue_types', { integrationId, trackerProjectId });
  const issue = await call('create_issue', {
    ...{ projectId, integrationId, trackerProjectId, issueTypeId: find(types, /"id":"([^"]+)"/) },
    ...{ instanceId: test.instance_id, testId: test.test_id },
  });
  check('Can you create an issue for it?', issue, [/"key":"[^"]+"/, /"url":"http/, DECLINED]);
  return {
    calls: answers.length,
    characters: answers.join('').length,
    incompleteQuestions: [...new Set(incompleteQuestions)],
  };
}

const WEEK_MILLISECONDS = 7 * 86_400_000;
