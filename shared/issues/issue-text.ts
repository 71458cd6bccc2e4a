/** The title and text of an issue about a failure: what failed, why, where and since when. */
import type { TestContext } from '#shared/context/context-wire.ts';
import { makeVisible, makeVisibleLine, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { formatErrorLine } from '#shared/errors/error-line.ts';
import { maskObject } from '#shared/masking/mask-object.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { getHistoryUrl, getTestUrl } from '#shared/model/runs/run-url.ts';
import { ISSUE_LIMITS } from './limits.ts';
import type { TextBlock, TextSpan } from './text/blocks.ts';

export interface TestFailure {
  readonly origin: string;
  readonly run: Run;
  readonly context: TestContext;
}

const { nameInTitleCharacters, titleCharacters, errorCharacters, snippetCharacters, stepCharacters } = ISSUE_LIMITS;

export function formatIssueTitle({ context: rawContext }: TestFailure): string {
  const { test, error } = maskObject(rawContext);
  const name = takeFirstCharacters(makeVisibleLine(test.title.join(' › ')), nameInTitleCharacters);
  const reason = error ? `: ${formatErrorLine(error, titleCharacters - name.length - 2)}` : '';
  return takeFirstCharacters(`${name}${reason}`, titleCharacters);
}

/** Masks secrets, because the tracker may have more readers than the test results. */
export function buildIssueText({ origin, run, context: rawContext }: TestFailure): TextBlock[] {
  const context = maskObject(rawContext);
  const { error } = context;
  const blocks: TextBlock[] = [];
  if (error) blocks.push(makeCodeBlock(error.message, errorCharacters));
  if (error?.snippet) blocks.push(makeCodeBlock(error.snippet, snippetCharacters));
  blocks.push(
    { kind: 'list', items: listFacts(run, context) },
    { kind: 'paragraph', spans: buildFailureLinks({ origin, run, context: rawContext }) },
  );
  return blocks;
}

const makeCodeBlock = (text: string, characters: number): TextBlock => ({
  kind: 'code',
  text: takeFirstCharacters(makeVisible(text), characters),
});

function listFacts(run: Run, { test, spec, failureContext, environment, git, failingSince }: TestContext) {
  const facts = [makeFact('Test', makeCode(test.title.join(' › '))), makeFact('Spec file', makeCode(spec))];
  if (failureContext)
    facts.push(makeFact('Failed step', makeCode(takeFirstCharacters(failureContext.failedStep.title, stepCharacters))));
  if (environment?.project) facts.push(makeFact('Project', makeCode(environment.project)));
  if (git?.branch) facts.push(makeFact('Branch', makeCode(git.branch)));
  if (git?.sha) facts.push(makeFact('Commit', makeCode(git.sha)));
  facts.push(makeFact('Seen', makeText(formatDay(run.createdAt))));
  if (failingSince) {
    const commit = failingSince.sha ? [makeText(', '), makeCode(failingSince.sha)] : [];
    facts.push(makeFact('Failing since', makeText(failingSince.createdAt.slice(0, 10)), ...commit));
  }
  return facts;
}

const formatDay = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);

const makeText = (content: string): TextSpan => ({ kind: 'text', text: content });
const makeCode = (content: string): TextSpan => ({ kind: 'code', text: content });
const makeFact = (label: string, ...spans: readonly TextSpan[]): TextSpan[] => [makeText(`${label}: `), ...spans];

/** The links at the end of every issue and of every comment that quotes or names the failure. */
export const buildFailureLinks = ({ origin, run, context }: TestFailure): TextSpan[] => {
  const { instanceId, testId, signature } = context.meta;
  return [
    { kind: 'link', text: 'Failure', url: getTestUrl(origin, run, { instanceId, testId }) },
    makeText(', '),
    { kind: 'link', text: 'history of the test', url: getHistoryUrl(origin, run, signature) },
    makeText(' in Rundown'),
  ];
};
