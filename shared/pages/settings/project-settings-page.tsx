/** The settings of a project, as text for roles that may not change them. */
import { may } from '#shared/access/may.ts';
import type { Child, Html } from '#shared/engine/html/html.ts';
import type { ProjectRecord } from '#shared/model/organizations/project.ts';
import type { Retention } from '#shared/model/runs/retention.ts';
import { ALL_NAMES } from '#shared/notifications/channels.ts';
import { SETTING_NAMES, type SettingsEntries, settingsEntriesOf } from '#shared/organizations/entered-settings.ts';
import { ORGANIZATION_LIMITS } from '#shared/organizations/limits.ts';
import { RETENTION_NAMES, RETENTIONS, shownDays } from '#shared/organizations/retention-inputs.ts';
import { CheckField, TextField } from '#shared/pages/design/fields.tsx';
import { durationText } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import type { IconName } from '#shared/pages/design/icons.ts';
import { PageHead, Panel } from '#shared/pages/design/parts.tsx';
import { notificationsHref, projectSettingsHref, webhooksHref } from '#shared/pages/shell/hrefs.ts';
import { problemAbout, RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import type { RefusedForm } from '#shared/pages/shell/view.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { DefaultBranchField, ProjectNameField } from './project-fields.tsx';
import { entriesAfter, seenText } from './settings-wire.ts';

interface Props {
  readonly visit: ProjectVisit;
  readonly project: ProjectRecord;
  readonly defaultRetention: Retention;
  readonly refused: RefusedForm | undefined;
}

export const ProjectSettingsPage = (props: Props): Html => (
  <>
    <PageHead
      title={`Settings of ${props.project.name}`}
      meta={
        <p>
          Project id: <code>{props.project.projectId}</code>. Reporters send it with each run.
        </p>
      }
    />
    <div class="columns">
      <div>{may(props.visit.person, 'projects:write') ? <SettingsForm {...props} /> : <SettingsText {...props} />}</div>
      <aside class="stack" aria-label="Connections">
        {may(props.visit.person, 'webhooks:read') && (
          <Connection icon="webhook" name="Webhooks" href={webhooksHref(props.visit)}>
            Send run events to other services.
          </Connection>
        )}
        {may(props.visit.person, 'projects:write') && (
          <Connection icon="hash" name="Notifications" href={notificationsHref(props.visit)}>
            Send run results to {ALL_NAMES}.
          </Connection>
        )}
      </aside>
    </div>
  </>
);

interface ConnectionProps {
  readonly icon: IconName;
  readonly name: string;
  readonly href: string;
  readonly children?: Child;
}

/** Where the project sends its results: the card leads to its own page. */
const Connection = ({ icon, name, href, children }: ConnectionProps): Html => (
  <ul class="panel rows whole">
    <li>
      <Icon name={icon} size="large" />
      <div class="grow">
        <a class="whole-link" href={href}>
          {name}
        </a>
        <p class="soft">{children}</p>
      </div>
      <Icon name="chevron-right" />
    </li>
  </ul>
);

const KEPT: Readonly<Record<keyof Retention, string>> = {
  resultsDays: 'Runs with their tests and history',
  evidenceDays: 'Steps, output and trace analyses of failed tests',
  filesDays: 'Traces, screenshots, videos and attachments',
};

const daysText = (days: number | null): string => (days === null ? 'forever' : `${days} days`);

const SettingsText = ({ project, defaultRetention }: Props): Html => (
  <dl class="facts card">
    <dt>Default branch</dt>
    <dd>{project.defaultBranchName}</dd>
    <dt>Inactivity timeout</dt>
    <dd>{durationText(project.inactivityTimeoutSeconds * 1000)}</dd>
    <dt>Fail fast</dt>
    <dd>{project.failFast ? 'yes' : 'no'}</dd>
    {RETENTIONS.map((name) => (
      <>
        <dt>Days for {RETENTION_NAMES[name]}</dt>
        <dd>
          {shownDays(project.retention, name)} <small>(default: {daysText(defaultRetention[name])})</small>
        </dd>
      </>
    ))}
  </dl>
);

function SettingsForm({ visit, project, defaultRetention, refused }: Props): Html {
  const stored = settingsEntriesOf(project);
  const shown = entriesAfter(refused, stored);
  const about = (name: keyof SettingsEntries, input: string) =>
    problemAbout(refused, 'submitProjectSettings', input) ??
    problemAbout(refused, 'submitProjectSettings', `${SETTING_NAMES[name]} is now`);
  return (
    <form method="post" action={projectSettingsHref(visit)}>
      <RefusalMessage refused={refused} of="submitProjectSettings" />
      <input type="hidden" name="seen" value={seenText(stored)} />
      <Panel title="General" note="what the project is called and how its runs are judged">
        <ProjectNameField value={shown.name} problem={about('name', 'name of a project')} />
        <DefaultBranchField value={shown.defaultBranchName} problem={about('defaultBranchName', 'name of a branch')} />
        <Timeout minutes={shown.timeoutMinutes} problem={about('timeoutMinutes', 'inactivity timeout')} />
        <CheckField
          label="Fail fast: a run ends at its first failed test"
          name="failFast"
          value="true"
          checked={shown.failFast === 'true'}
        />
      </Panel>
      <Panel title="Retention">
        <p>Changes apply to runs created from now on. Evidence and files are never kept longer than the results.</p>
        {RETENTIONS.map((name) => (
          <TextField
            label={`Days for ${RETENTION_NAMES[name]}`}
            name={name}
            value={shown[name]}
            problem={about(name, `retention of ${RETENTION_NAMES[name]} must`)}
            hint={`${KEPT[name]}. A number of days, or “forever”. Leave it empty for the default: ${daysText(defaultRetention[name])}`}
          />
        ))}
      </Panel>
      <div class="actions">
        <button type="submit">Save settings</button>
      </div>
    </form>
  );
}

const Timeout = ({ minutes, problem }: { readonly minutes: string; readonly problem: string | undefined }): Html => {
  const { minimum, maximum } = ORGANIZATION_LIMITS.inactivityTimeoutSeconds;
  return (
    <TextField
      label="Inactivity timeout in minutes"
      name="timeoutMinutes"
      type="number"
      step="any"
      value={minutes}
      problem={problem}
      min={minimum / 60}
      max={maximum / 60}
      hint="A run times out after this time without results"
      required
    />
  );
};
