/** The notices of a project: their settings, their state and their last result. */
import type { Html } from '#shared/engine/html/html.ts';
import type { Notice, NoticeKind } from '#shared/model/notice.ts';
import type { NoticeDelivery } from '#shared/model/notice-delivery.ts';
import type { ListedNotice } from '#shared/notices/find-notices.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { FullTime } from './format.tsx';
import { noticesHref, projectSettingsHref, runHref } from './hrefs.ts';
import { GithubForm, SlackForm } from './notice-forms.tsx';
import { OutcomeBadge } from './outcome.tsx';
import type { Breadcrumb, RefusedForm } from './view.ts';
import { DeliveryBadge } from './webhook-deliveries.tsx';

interface Props {
  readonly visit: ProjectVisit;
  readonly listed: readonly ListedNotice[];
  readonly refused: RefusedForm | undefined;
}

export const NOTICE_NAMES: Readonly<Record<NoticeKind, string>> = { github: 'GitHub', slack: 'Slack' };

export const noticeBreadcrumbs = (visit: ProjectVisit, name?: string): Breadcrumb[] => [
  { name: 'Settings', href: projectSettingsHref(visit) },
  ...(name === undefined ? [{ name: 'Notices' }] : [{ name: 'Notices', href: noticesHref(visit) }, { name }]),
];

export function NoticesPage({ visit, listed, refused }: Props): Html {
  const github = noticeIn(listed, 'github');
  const slack = noticeIn(listed, 'slack');
  return (
    <>
      <h1>Notices of {visit.project.name}</h1>
      <p>Send run results to GitHub and Slack. Credentials are never shown again.</p>
      <h2 id="github">GitHub</h2>
      {github && <State visit={visit} listed={github} refused={refused} />}
      <GithubForm {...{ visit, refused, notice: github?.notice.kind === 'github' ? github.notice : undefined }} />
      <h2 id="slack">Slack</h2>
      {slack && <State visit={visit} listed={slack} refused={refused} />}
      <SlackForm {...{ visit, refused, notice: slack?.notice.kind === 'slack' ? slack.notice : undefined }} />
    </>
  );
}

const noticeIn = (listed: readonly ListedNotice[], kind: NoticeKind): ListedNotice | undefined =>
  listed.find(({ notice }) => notice.kind === kind);

const REASONS: Readonly<Record<string, string>> = {
  byHand: 'by hand',
  failing: 'it failed for days',
  gone: 'it answered 410 Gone',
};

interface StateProps {
  readonly visit: ProjectVisit;
  readonly listed: ListedNotice;
  readonly refused: RefusedForm | undefined;
}

const State = ({ visit, listed: { notice, last }, refused }: StateProps): Html => (
  <>
    {isRefusalOf(refused, notice) && (
      <p class="notice problem-text" role="alert">
        <strong>Nothing was sent or changed.</strong> {refused?.problem}
      </p>
    )}
    <dl>
      <dt>State</dt>
      <dd>
        <StateBadge notice={notice} />
      </dd>
      <dt>Last result</dt>
      <dd>{last ? <LastResult visit={visit} delivery={last} /> : 'none yet'}</dd>
    </dl>
    <Actions visit={visit} notice={notice} />
  </>
);

const isRefusalOf = (refused: RefusedForm | undefined, { kind }: Notice): boolean =>
  refused?.values['of'] === kind && ['submitNoticeTest', 'submitNoticeEnabled'].includes(refused.operationId);

function StateBadge({ notice: { disabled, failingSince } }: { readonly notice: Notice }): Html {
  if (disabled)
    return (
      <>
        <OutcomeBadge outcome="skipped" label="disabled" /> {disabled.problem ?? REASONS[disabled.reason]}, since{' '}
        <FullTime at={new Date(disabled.at).toISOString()} />
      </>
    );
  if (failingSince === undefined) return <OutcomeBadge outcome="passed" label="enabled" />;
  return (
    <>
      <OutcomeBadge outcome="failed" label="failing" /> since <FullTime at={new Date(failingSince).toISOString()} />
    </>
  );
}

const EVENTS: Readonly<Record<NoticeDelivery['event'], string>> = {
  RunStarted: 'start of a run',
  RunEnded: 'end of a run',
  Test: 'test',
};

function LastResult({ visit, delivery }: { readonly visit: ProjectVisit; readonly delivery: NoticeDelivery }): Html {
  const { status, event, runId, createdAt, attempts } = delivery;
  const { error = null, answer = null } = attempts.at(-1) ?? {};
  return (
    <>
      <DeliveryBadge status={status} /> {EVENTS[event]}, <FullTime at={new Date(createdAt).toISOString()} />
      {runId !== null && (
        <>
          {' '}
          <a href={runHref(visit, runId)}>Run</a>
        </>
      )}
      <p class="soft">{error ?? answer ?? ''}</p>
    </>
  );
}

const Actions = ({ visit, notice: { kind, disabled } }: { visit: ProjectVisit; notice: Notice }): Html => (
  <div class="actions">
    {!disabled && (
      <form method="post" action={noticesHref(visit, kind, 'test')}>
        <input type="hidden" name="of" value={kind} />
        <button type="submit">Send a test to {NOTICE_NAMES[kind]}</button>
      </form>
    )}
    <form method="post" action={noticesHref(visit, kind, 'enabled')}>
      <input type="hidden" name="of" value={kind} />
      <input type="hidden" name="enabled" value={disabled ? 'true' : 'false'} />
      <button type="submit" class="quiet">
        {disabled ? 'Enable' : 'Disable'} {NOTICE_NAMES[kind]}
      </button>
    </form>
    <a class="button quiet" href={noticesHref(visit)}>
      Refresh
    </a>
    <a class="button quiet" href={noticesHref(visit, kind, 'delete')}>
      Delete {NOTICE_NAMES[kind]}…
    </a>
  </div>
);
