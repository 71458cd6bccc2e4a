/** The page for the settings of a project. People whose role does not allow changes see the settings as text. */
import { may } from '#shared/access/may.ts';
import type { Child, Html } from '#shared/engine/html/html.ts';
import type { AutomationOfProject } from '#shared/issues/automation/settings.ts';
import type { ProjectRecord } from '#shared/model/organizations/project.ts';
import type { Retention } from '#shared/model/runs/retention.ts';
import { ALL_NAMES } from '#shared/notifications/channels.ts';
import { getFieldName, toSettingsEntries } from '#shared/organizations/entered-settings.ts';
import { formatRetentionDays, RETENTION_NAMES, RETENTIONS } from '#shared/organizations/retention-inputs.ts';
import { formatSetting, PROJECT_SETTINGS, SETTING_NAMES } from '#shared/organizations/setting-declarations.ts';
import type { Setting } from '#shared/organizations/setting-kinds.ts';
import { TextField } from '#shared/pages/design/fields.tsx';
import { formatDuration, formatQuantity } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import type { IconName } from '#shared/pages/design/icons.ts';
import { Copied, Fact, GroupHead, PageHead } from '#shared/pages/design/parts.tsx';
import { RecordingLines } from '#shared/pages/home/how-to-record.tsx';
import {
  linkToBadges,
  linkToNotifications,
  linkToProjectSettings,
  linkToShares,
  linkToTrustedCi,
  linkToWebhooks,
} from '#shared/pages/shell/hrefs.ts';
import { findInputProblem, RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { type ConnectedReceivers, NotificationStates, WebhookStates } from './connection-states.tsx';
import { IssueAutomationForm } from './issue-automation-form.tsx';
import { SettingField } from './project-fields.tsx';
import { encodeSeenEntries, mergeEntries } from './settings-wire.ts';

interface Props extends WithForms<ProjectVisit> {
  readonly project: ProjectRecord;
  /** Absent for people who may not change the settings. */
  readonly automation: AutomationOfProject | undefined;
  readonly connected: ConnectedReceivers;
  readonly defaultRetention: Retention;
  readonly origin: string;
  readonly now: number;
}

export const ProjectSettingsPage = (props: Props): Html => {
  const { visit, project, automation, connected, refused, origin, now } = props;
  const mayChange = may(visit.person, 'projects:write');
  const maySee = may(visit.person, 'shares:write');
  const mayDelete = mayChange && project.deletesAt === undefined;
  return (
    <>
      <PageHead
        title="Settings"
        meta={
          <span>
            Project id <code>{project.projectId}</code> <Copied text={project.projectId} label="Copy the project id" />
          </span>
        }
      />
      <RefusalMessage refused={refused} of="submitRestoreProject" title="Nothing was changed." />
      <div class="sectioned">
        <nav aria-label="Settings">
          {maySee && <a href="#connections">Connections</a>}
          <a href="#general">General</a>
          {mayChange && <a href="#retention">Retention</a>}
          {automation && <a href="#issues">Issues</a>}
          <a href="#recording">Recording</a>
          {mayDelete && <a href="#delete">Deletion</a>}
        </nav>
        <div>
          {maySee && <Connections visit={visit} connected={connected} now={now} />}
          {mayChange ? <SettingsForm {...props} /> : <SettingsText {...props} />}
          {automation && <IssueAutomationForm {...{ visit, automation, refused }} />}
          <GroupHead title="Recording" note="How to send results to this project." id="recording" />
          {may(visit.person, 'trustedCi:change') && (
            <div class="cards">
              <Connection icon="shield" name="Trusted CI" href={linkToTrustedCi(visit)}>
                CI jobs of GitHub and GitLab record without a key, and prove where results come from.
              </Connection>
            </div>
          )}
          <RecordingLines visit={visit} origin={origin} />
          {mayDelete && (
            <>
              <GroupHead title="Deletion" id="delete" />
              <div class="panel setting-rows">
                <footer>
                  <span>A deleted project records no new runs. For 30 days, an Admin can restore it.</span>
                  <span class="grow" />
                  <a class="button quiet danger" href={linkToProjectSettings(visit, 'delete')}>
                    Delete this project
                  </a>
                </footer>
              </div>
            </>
          )}
        </div>
      </div>
    </>
  );
};

const Connections = ({ visit, connected, now }: Pick<Props, 'visit' | 'connected' | 'now'>): Html => (
  <>
    <GroupHead title="Connections" note="Who gets the results of this project." id="connections" />
    <div class="cards">
      {may(visit.person, 'projects:write') && (
        <Connection
          icon="hash"
          name="Notifications"
          href={linkToNotifications(visit)}
          states={<NotificationStates connected={connected} now={now} />}
        >
          Send run results to {ALL_NAMES}: messages, commit statuses and comments on pull requests.
        </Connection>
      )}
      {may(visit.person, 'webhooks:read') && (
        <Connection
          icon="webhook"
          name="Webhooks"
          href={linkToWebhooks(visit)}
          states={<WebhookStates connected={connected} now={now} />}
        >
          Rundown sends the events of runs to your own service, and can sign the requests.
        </Connection>
      )}
      {may(visit.person, 'projects:write') && (
        <Connection icon="image" name="Badges" href={linkToBadges(visit)}>
          Images that show the status of a branch, for a README.
        </Connection>
      )}
      <Connection icon="external-link" name="Shares" href={linkToShares(visit)}>
        Links that let people without an account open results.
      </Connection>
    </div>
  </>
);

interface ConnectionProps {
  readonly icon: IconName;
  readonly name: string;
  readonly href: string;
  readonly states?: Html;
  readonly children?: Child;
}

const Connection = ({ icon, name, href, states, children }: ConnectionProps): Html => (
  <ul class="panel rows whole">
    <li>
      <Icon name={icon} size="large" />
      <div class="grow">
        <a class="whole-link" href={href}>
          {name}
        </a>
        <p class="soft">{children}</p>
        {states}
      </div>
      <Icon name="chevron-right" />
    </li>
  </ul>
);

const KEPT: Readonly<Record<keyof Retention, string>> = {
  resultsDays: 'Runs with their tests and history',
  evidenceDays: 'Steps, output and trace analyses of failed and flaky tests',
  filesDays: 'Traces, screenshots, videos and attachments',
};

const formatDays = (days: number | null): string => (days === null ? 'forever' : formatQuantity(days, 'day'));

/** How people read the text of a setting. */
const FORMATS: Readonly<Record<Setting<unknown>['kind'], (text: string) => string>> = {
  line: (text) => text,
  labels: (text) => text || 'none',
  duration: (seconds) => formatDuration(Number(seconds) * 1000),
  flag: (text) => (text === 'true' ? 'yes' : 'no'),
};

const FORM_ORDER = Object.keys(FORMATS).flatMap((kind) =>
  SETTING_NAMES.filter((name) => PROJECT_SETTINGS[name].kind === kind),
);

const SettingsText = ({ project, defaultRetention }: Props): Html => (
  <dl class="facts card" id="general">
    {SETTING_NAMES.filter((name) => name !== 'name').map((name) => {
      const { kind, label } = PROJECT_SETTINGS[name];
      return <Fact name={label}>{FORMATS[kind](formatSetting(project, name))}</Fact>;
    })}
    {RETENTIONS.map((name) => (
      <Fact name={`Days to keep ${RETENTION_NAMES[name]}`}>
        {formatRetentionDays(project.retention, name)} <small>(default: {formatDays(defaultRetention[name])})</small>
      </Fact>
    ))}
  </dl>
);

function SettingsForm({ visit, project, defaultRetention, refused }: Props): Html {
  const storedEntries = toSettingsEntries(project);
  const shownEntries = mergeEntries(refused, storedEntries);
  const about = (name: string) => findInputProblem(refused, 'submitProjectSettings', name);
  return (
    <form method="post" action={linkToProjectSettings(visit)}>
      <RefusalMessage refused={refused} of="submitProjectSettings" />
      <input type="hidden" name="seen" value={encodeSeenEntries(storedEntries)} />
      <GroupHead
        title="General"
        note="The name, default branch and tags of the project, and when its runs end early."
        id="general"
      />
      <div class="panel setting-rows">
        {FORM_ORDER.map((setting) => {
          const name = getFieldName(setting);
          return <SettingField {...{ setting, value: shownEntries[name], problem: about(name) ?? about(setting) }} />;
        })}
      </div>
      <GroupHead
        title="Retention"
        note="Changes apply only to runs that are created afterwards. Evidence and files are never kept longer than the results."
        id="retention"
      />
      <div class="panel setting-rows">
        {RETENTIONS.map((name) => (
          <TextField
            label={`Days to keep ${RETENTION_NAMES[name]}`}
            name={name}
            value={shownEntries[name]}
            problem={about(name)}
            hint={`${KEPT[name]}. Enter a number of days, or “forever”. Leave the field empty for the default: ${formatDays(defaultRetention[name])}`}
          />
        ))}
        <footer>
          <span>The general settings and the retention are saved together.</span>
          <span class="grow" />
          <button type="submit">Save settings</button>
        </footer>
      </div>
    </form>
  );
}
