/** The forms that configure notifications. They never contain a stored credential. */
import type { Html } from '#shared/engine/html/html.ts';
import type { ChannelKind, ChannelNotification, GithubNotification } from '#shared/model/events/notification.ts';
import { CHANNELS } from '#shared/notifications/channels.ts';
import { NOTIFICATION_LIMITS } from '#shared/notifications/limits.ts';
import { GITHUB_API } from '#shared/notifications/settings-wire.ts';
import { CheckField, SelectField, TextField } from '#shared/pages/design/fields.tsx';
import { notificationsHref } from '#shared/pages/shell/hrefs.ts';
import { problemAbout, RefusalMessage, sentValue } from '#shared/pages/shell/refused-form.tsx';
import type { RefusedForm } from '#shared/pages/shell/view.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

interface FormProps<Stored> {
  readonly visit: ProjectVisit;
  readonly notification: Stored | undefined;
  readonly refused: RefusedForm | undefined;
}

const OF_GITHUB = 'submitGithubNotification';
const OF_CHANNEL = 'submitChannelNotification';

export function GithubForm({ visit, notification, refused }: FormProps<GithubNotification>): Html {
  const sent = (name: string) => sentValue(refused, OF_GITHUB, name);
  const isSent = refused?.operationId === OF_GITHUB;
  const isChecked = (name: 'sendsStatus' | 'comments') =>
    isSent ? sent(name) === 'true' : (notification?.[name] ?? true);
  return (
    <form method="post" action={notificationsHref(visit, 'save', 'github')}>
      <RefusalMessage refused={refused} of={OF_GITHUB} />
      <TextField
        label="Repository"
        name="repository"
        value={sent('repository') ?? notification?.repository}
        maxlength={NOTIFICATION_LIMITS.repositoryCharacters}
        hint="owner/name, such as acme/shop"
        problem={problemAbout(refused, OF_GITHUB, 'repository')}
        required
      />
      <Secret
        label="Token"
        of="github"
        isStored={notification !== undefined}
        hint="The token needs write access to commit statuses and pull requests. Enter it again if you change the repository or the API address"
      />
      <CheckField label="Write commit statuses" name="sendsStatus" value="true" checked={isChecked('sendsStatus')} />
      <CheckField label="Comment on pull requests" name="comments" value="true" checked={isChecked('comments')} />
      <TextField
        label="Name of the status"
        name="context"
        value={sent('context') ?? notification?.context ?? `rundown/${visit.project.name}`}
        maxlength={NOTIFICATION_LIMITS.contextCharacters}
        hint="You can require this status in branch protection. Anyone with a Read & Write API key can set it, so require the CI job as well"
      />
      <TextField
        label="API address"
        name="apiUrl"
        type="url"
        value={sent('apiUrl') ?? notification?.apiUrl ?? GITHUB_API}
        maxlength={NOTIFICATION_LIMITS.urlCharacters}
        hint="For GitHub Enterprise Server, enter the address of its API, such as https://github.example.com/api/v3"
        problem={problemAbout(refused, OF_GITHUB, 'apiUrl')}
      />
      <button type="submit">Save GitHub</button>
    </form>
  );
}

const RUNS = [
  { value: 'failed', label: 'failed runs' },
  { value: 'changed', label: 'runs whose result differs from the previous run' },
  { value: 'all', label: 'all runs' },
];

interface ChannelProps extends FormProps<ChannelNotification> {
  readonly kind: ChannelKind;
}

export function ChannelForm({ visit, kind, notification, refused }: ChannelProps): Html {
  const own = refused?.values['of'] === kind ? refused : undefined;
  return (
    <form method="post" action={notificationsHref(visit, 'channel', kind)}>
      <RefusalMessage refused={own} of={OF_CHANNEL} />
      <input type="hidden" name="of" value={kind} />
      <SelectField
        label="Notify about"
        name="runs"
        value={sentValue(own, OF_CHANNEL, 'runs') ?? notification?.runs ?? 'failed'}
        options={RUNS}
      />
      <Secret label="Webhook address" of={kind} isStored={notification !== undefined} hint={CHANNELS[kind].advice} />
      <button type="submit">Save {CHANNELS[kind].name}</button>
    </form>
  );
}

interface SecretProps {
  readonly label: string;
  readonly of: string;
  readonly isStored: boolean;
  readonly hint: string;
}

/** The id contains the form's name, because both forms on the page have a credential field. */
const Secret = ({ label, of, isStored, hint }: SecretProps): Html => (
  <div class="field">
    <label for={`credential-${of}`}>{label}</label>
    <input
      id={`credential-${of}`}
      name="credential"
      type="password"
      autocomplete="off"
      maxlength={NOTIFICATION_LIMITS.credentialCharacters}
      aria-describedby={`credential-${of}-hint`}
      required={!isStored}
    />
    <small id={`credential-${of}-hint`}>
      {isStored ? `${hint}. Leave the field empty to keep the stored one` : hint}
    </small>
  </div>
);
