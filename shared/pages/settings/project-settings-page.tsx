/** The page for the settings of a project. People whose role does not allow changes see the settings as text. */
import { may } from '#shared/access/may.ts';
import type { Child, Html } from '#shared/engine/html/html.ts';
import type { AutomationOfProject } from '#shared/issues/automation/settings.ts';
import { ALL_NAMES } from '#shared/notifications/channels.ts';
import { Icon } from '#shared/pages/design/icon.tsx';
import type { IconName } from '#shared/pages/design/icons.ts';
import { Copied, GroupHead, PageHead } from '#shared/pages/design/parts.tsx';
import { RecordingLines } from '#shared/pages/home/recording-steps.tsx';
import {
  linkToBadges,
  linkToNotifications,
  linkToProjectSettings,
  linkToShares,
  linkToTrustedCi,
  linkToWebhooks,
} from '#shared/pages/shell/hrefs.ts';
import { isOfDeletedProject, mayAdd } from '#shared/pages/shell/may-add.ts';
import { RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import { type ConnectedReceivers, NotificationStates, WebhookStates } from './connection-states.tsx';
import { IssueAutomationForm } from './issue-automation-form.tsx';
import { SettingsForm, type SettingsProps, SettingsText } from './settings-form.tsx';

interface Props extends SettingsProps {
  /** Absent for people who may not change the settings. */
  readonly automation: AutomationOfProject | undefined;
  readonly connected: ConnectedReceivers;
  readonly origin: string;
  readonly now: number;
}

export const ProjectSettingsPage = (props: Props): Html => {
  const { visit, project, automation, connected, refused, origin, now } = props;
  const mayChange = mayAdd(visit, 'projects:write');
  const isDeleted = isOfDeletedProject(visit);
  const maySee = may(visit.person, 'shares:write');
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
          {automation && !isDeleted && <a href="#issues">Issues</a>}
          {!isDeleted && <a href="#recording">Recording</a>}
          {mayChange && <a href="#delete">Deletion</a>}
        </nav>
        <div>
          {maySee && <Connections visit={visit} connected={connected} now={now} />}
          {mayChange ? <SettingsForm {...props} /> : <SettingsText {...props} />}
          {automation && !isDeleted && <IssueAutomationForm {...{ visit, automation, refused }} />}
          {!isDeleted && (
            <>
              <GroupHead title="Recording" note="How to send results to this project." id="recording" />
              {may(visit.person, 'trustedCi:change') && (
                <div class="cards">
                  <Connection icon="shield" name="Trusted CI" href={linkToTrustedCi(visit)}>
                    CI jobs of GitHub and GitLab record without a key, and prove where results come from.
                  </Connection>
                </div>
              )}
              <RecordingLines visit={visit} origin={origin} />
            </>
          )}
          {mayChange && (
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
