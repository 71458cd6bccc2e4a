/** The title and text of an issue about a failure: what failed, why, where and since when. */
import type { TestContext } from '#shared/context/context-wire.ts';
import { makeVisible, makeVisibleLine, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { formatErrorLine } from '#shared/errors/error-line.ts';
import { masked } from '#shared/masking/masking.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { getHistoryUrl, getTestUrl } from '#shared/model/runs/run-url.ts';
import { ISSUE_LIMITS } from './limits.ts';
import type { Block, Span } from './text/blocks.ts';

export interface Failure {
  readonly origin: string;
  readonly run: Run;
  readonly context: TestContext;
}

const { nameInTitleCharacters, titleCharacters, errorCharacters, snippetCharacters, stepCharacters } = ISSUE_LIMITS;

export function issueTitleOf({ context: sent }: Failure): string {
  const { test, error } = masked(sent);
  const name = takeFirstCharacters(makeVisibleLine(test.title.join(' › ')), nameInTitleCharacters);
  const reason = error ? `: ${formatErrorLine(error, titleCharacters - name.length - 2)}` : '';
  return takeFirstCharacters(`${name}${reason}`, titleCharacters);
}

/** Masks secrets, because the tracker may have more readers than the test results. */
export function issueTextOf({ origin, run, context: sent }: Failure): Block[] {
  const context = masked(sent);
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
        fact('Test', [code(context.test.title.join(' › '))]),
        fact('Spec file', [code(context.spec)]),
        ...(failureContext
          ? [fact('Failed step', [code(takeFirstCharacters(failureContext.failedStep.title, stepCharacters))])]
          : []),
        ...(environment?.project ? [fact('Project', [code(environment.project)])] : []),
        ...(git?.branch ? [fact('Branch', [code(git.branch)])] : []),
        ...(git?.sha ? [fact('Commit', [code(git.sha)])] : []),
        fact('Seen', [text(dayOf(run.createdAt))]),
        ...(since
          ? [
              fact('Failing since', [
                text(since.createdAt.slice(0, 10)),
                ...(since.sha ? [text(', '), code(since.sha)] : []),
              ]),
            ]
          : []),
      ],
    },
    { kind: 'paragraph', spans: linksTo({ origin, run, context: sent }) },
  ];
}

const dayOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);

const text = (content: string): Span => ({ kind: 'text', text: content });
const code = (content: string): Span => ({ kind: 'code', text: content });
const fact = (label: string, spans: readonly Span[]): Span[] => [text(`${label}: `), ...spans];

/** The links at the end of every issue and of every comment that quotes or names the failure. */
export const linksTo = ({ origin, run, context }: Failure): Span[] => {
  const { instanceId, testId, signature } = context.meta;
  return [
    { kind: 'link', text: 'Failure', url: getTestUrl(origin, run, { instanceId, testId }) },
    text(', '),
    { kind: 'link', text: 'history of the test', url: getHistoryUrl(origin, run, signature) },
    text(' in Rundown'),
  ];
};
