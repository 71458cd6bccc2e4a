/** An issue in a tracker, shown beside a test or an error: its key, its state, and a link to the tracker. */

import type { Html } from '#shared/engine/html/html.ts';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import type { IssueState, KnownIssue } from '#shared/model/issues/known-issue.ts';
import { Icon } from './icon.tsx';
import { OUTCOME_ICONS, type ShownOutcome } from './outcome.tsx';

type ShownIssue = Pick<KnownIssue, 'key' | 'url' | 'title' | 'state' | 'stateName'>;

export const ISSUE_WORDS: Readonly<Record<IssueState, string>> = {
  open: 'open',
  inProgress: 'in progress',
  done: 'done',
};

const TONES: Readonly<Record<IssueState, ShownOutcome>> = { open: 'pending', inProgress: 'running', done: 'passed' };

export function IssueMark({ issue: { key, url, title, state, stateName } }: { readonly issue: ShownIssue }): Html {
  const tone = TONES[state];
  const name = makeVisibleLine(`${stateName}: ${title}`);
  const content = (
    <>
      <Icon name={OUTCOME_ICONS[tone].mark} size="small" />
      <span>
        <span class="hidden-text">Issue </span>
        {makeVisibleLine(key)}, {ISSUE_WORDS[state]}
      </span>
    </>
  );
  // The tracker sent the address, so it may be any text.
  return /^https?:\/\//i.test(url) ? (
    <a class={`outcome issue ${tone}`} href={url} rel="noreferrer" title={name}>
      {content}
    </a>
  ) : (
    <span class={`outcome issue ${tone}`} title={name}>
      {content}
    </span>
  );
}

/** An issue that is linked to several tests is shown once. Renders nothing if there are none. */
export const IssueMarks = ({ issues = [] }: { readonly issues?: readonly ShownIssue[] | undefined }): Html => (
  <>
    {[...new Map(issues.map((issue) => [issue.url, issue])).values()].map((issue) => (
      <>
        {' '}
        <IssueMark issue={issue} />
      </>
    ))}
  </>
);
