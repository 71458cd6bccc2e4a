/** The title and text of an issue about a failure: what failed, why, where and since when. */
import type { TestContext } from '#shared/context/context-wire.ts';
import { makeVisible, makeVisibleLine, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { formatErrorLine } from '#shared/errors/error-line.ts';
import { maskObject } from '#shared/masking/masking.ts';
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
  const { error, failureContext, environment, git, failingSince: since } = context;
  return [
    ...(error
      ? [{ kind: 'code', text: takeFirstCharacters(makeVisible(error.message), errorCharacters) } as const]
      : []),
    ...(error?.snippet
      ? [{ kind: 'code', text: takeFirstCharacters(makeVisible(error.snippet), snippetCharacters) } as const]
      : []),
    {
      kind: 'list',
      items: [
        makeFact('Test', [makeCode(context.test.title.join(' › '))]),
        makeFact('Spec file', [makeCode(context.spec)]),
        ...(failureContext
          ? [makeFact('Failed step', [makeCode(takeFirstCharacters(failureContext.failedStep.title, stepCharacters))])]
          : []),
        ...(environment?.project ? [makeFact('Project', [makeCode(environment.project)])] : []),
        ...(git?.branch ? [makeFact('Branch', [makeCode(git.branch)])] : []),
        ...(git?.sha ? [makeFact('Commit', [makeCode(git.sha)])] : []),
        makeFact('Seen', [makeText(formatDay(run.createdAt))]),
        ...(since
          ? [
              makeFact('Failing since', [
                makeText(since.createdAt.slice(0, 10)),
                ...(since.sha ? [makeText(', '), makeCode(since.sha)] : []),
              ]),
            ]
          : []),
      ],
    },
    { kind: 'paragraph', spans: buildFailureLinks({ origin, run, context: rawContext }) },
  ];
}

const formatDay = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);

const makeText = (content: string): TextSpan => ({ kind: 'text', text: content });
const makeCode = (content: string): TextSpan => ({ kind: 'code', text: content });
const makeFact = (label: string, spans: readonly TextSpan[]): TextSpan[] => [makeText(`${label}: `), ...spans];

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
