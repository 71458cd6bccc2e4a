/** The forms that configure notifications. They never contain a stored credential. */
import type { Html } from '#shared/engine/html/html.ts';
import { hasCredential } from '#shared/model/credential.ts';
import {
  type ChannelNotification,
  type ChannelPlace,
  getChannelKind,
  type HostKind,
  type HostNotification,
  type Notification,
} from '#shared/model/events/notification.ts';
import { CHANNELS } from '#shared/notifications/channels.ts';
import { CODE_HOSTS } from '#shared/notifications/code-hosts.ts';
import { NOTIFICATION_LIMITS } from '#shared/notifications/limits.ts';
import { CheckField, SelectField, TextField } from '#shared/pages/design/fields.tsx';
import { toSentenceCase } from '#shared/pages/design/format.tsx';
import { readFormEntries } from '#shared/pages/shell/form-entries.ts';
import { linkToNotifications } from '#shared/pages/shell/hrefs.ts';
import { findSentValue, RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { CHANNEL_RUN_NAMES } from './notification-state.tsx';

interface HostFormProps extends WithForms<ProjectVisit> {
  readonly kind: HostKind;
  readonly notification: HostNotification | undefined;
}

const OF_HOST = 'submitHostNotification';
const OF_CHANNEL = 'submitChannelNotification';

export function HostForm({ visit, kind, notification, refused }: HostFormProps): Html {
  const refusal = refused?.values['of'] === kind ? refused : undefined;
  const texts = CODE_HOSTS[kind];
  const { field, sent, box, problem } = readFormEntries(refusal, OF_HOST);
  return (
    <form method="post" action={linkToNotifications(visit, kind, 'host')}>
      <RefusalMessage refused={refusal} of={OF_HOST} />
      <input type="hidden" name="of" value={kind} />
      <TextField
        of={kind}
        label={toSentenceCase(texts.place)}
        {...field('repository', notification?.repository)}
        maxlength={NOTIFICATION_LIMITS.repositoryCharacters}
        hint={toSentenceCase(texts.placeAdvice)}
        required
      />
      <Secret
        label="Token"
        of={kind}
        isStored={notification !== undefined && hasCredential(notification)}
        problem={problem('credential')}
        hint={`${texts.tokenAdvice}. Enter it again if you change the ${texts.place} or the API address`}
      />
      <CheckField of={kind} label="Write commit statuses" {...box('sendsStatus', notification?.sendsStatus ?? true)} />
      <CheckField
        of={kind}
        label={`Comment on ${texts.change}s`}
        {...box('comments', notification?.comments ?? true)}
      />
      <TextField
        of={kind}
        label="Name of the status"
        name="context"
        value={sent('context') ?? notification?.context ?? `rundown/${visit.project.name}`}
        maxlength={NOTIFICATION_LIMITS.contextCharacters}
        hint={`${texts.requiring}. Anyone with a Read & Write API key can set it, so require the CI job as well`}
      />
      <TextField
        of={kind}
        label="API address"
        type="url"
        {...field('apiUrl', notification?.apiUrl ?? texts.apiUrl)}
        maxlength={NOTIFICATION_LIMITS.urlCharacters}
        hint={`For ${texts.ownServer}, enter the address of its API, such as ${texts.ownApiUrl}`}
      />
      <CheckField of={kind} label={STAYS_OFF} {...box('staysOff', isOffByHand(notification))} />
      <button type="submit">Save {texts.name}</button>
    </form>
  );
}

const STAYS_OFF = 'Keep it off for now. You can send a test first, and then enable it';
const isOffByHand = (notification: Notification | undefined): boolean => notification?.disabled?.reason === 'byHand';

const RUNS = Object.entries(CHANNEL_RUN_NAMES).map(([value, label]) => ({ value, label }));

interface ChannelFormProps extends WithForms<ProjectVisit> {
  readonly place: ChannelPlace;
  readonly notification: ChannelNotification | undefined;
}

export function ChannelForm({ visit, place, notification, refused }: ChannelFormProps): Html {
  const refusal = refused?.values['of'] === place ? refused : undefined;
  const { name, advice } = CHANNELS[getChannelKind(place)];
  const { field, box, problem } = readFormEntries(refusal, OF_CHANNEL);
  return (
    <form method="post" action={linkToNotifications(visit, place, 'channel')}>
      <RefusalMessage refused={refusal} of={OF_CHANNEL} />
      <input type="hidden" name="of" value={place} />
      <SelectField
        of={place}
        label="Notify about"
        name="runs"
        value={findSentValue(refusal, OF_CHANNEL, 'runs') ?? notification?.runs ?? 'failed'}
        options={RUNS}
      />
      <TextField
        of={place}
        label="Only on these branches"
        {...field('branches', notification?.branches?.join(', '))}
        maxlength={NOTIFICATION_LIMITS.branchesCharacters}
        hint="Names with commas between them, such as main, release/*. Leave it empty for all branches"
      />
      <Secret
        label="Webhook address"
        of={place}
        isStored={notification !== undefined && hasCredential(notification)}
        problem={problem('credential')}
        hint={advice}
      />
      <CheckField of={place} label={STAYS_OFF} {...box('staysOff', isOffByHand(notification))} />
      <button type="submit">Save {name}</button>
    </form>
  );
}

interface SecretProps {
  readonly label: string;
  readonly of: string;
  readonly isStored: boolean;
  readonly hint: string;
  readonly problem: string | undefined;
}

const Secret = ({ isStored, hint, ...field }: SecretProps): Html => (
  <TextField
    {...field}
    name="credential"
    type="password"
    autocomplete="off"
    maxlength={NOTIFICATION_LIMITS.credentialCharacters}
    hint={isStored ? `${hint}. Leave the field empty to keep the stored one` : hint}
    required={!isStored}
  />
);
