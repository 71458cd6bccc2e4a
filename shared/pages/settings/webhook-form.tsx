/** §6 The form that creates or changes a webhook. */
import type { Html } from '#shared/engine/html/html.ts';
import { RUN_EVENTS, type RunEventName } from '#shared/model/events/run-event.ts';
import { CheckField, TextArea, TextField } from '#shared/pages/design/fields.tsx';
import { FormActions, PageHead } from '#shared/pages/design/parts.tsx';
import { readFormEntries } from '#shared/pages/shell/form-entries.ts';
import { linkToWebhooks } from '#shared/pages/shell/hrefs.ts';
import { RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import { FormId } from '#shared/pages/shell/shown-once.tsx';
import type { RefusedForm } from '#shared/pages/shell/view.ts';
import { SENDING_LIMITS } from '#shared/sending/limits.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { formatHeaderLines } from '#shared/webhooks/header-lines.ts';
import { WEBHOOK_LIMITS } from '#shared/webhooks/limits.ts';
import type { WebhookProblems } from './webhook-fields.ts';
import { getWebhookName, type ShownWebhook } from './webhook-names.tsx';

interface FieldsProps {
  readonly of: string;
  readonly refused: RefusedForm | undefined;
  readonly problems: WebhookProblems;
  readonly webhook?: ShownWebhook;
}

const EVENTS: Readonly<Record<RunEventName, string>> = {
  RUN_START: 'a run starts',
  RUN_FINISH: 'a run ends',
  RUN_TIMEOUT: 'a run times out',
  RUN_CANCELED: 'a run is cancelled',
};

const FIELDS_WITH_PROBLEMS = ['url', 'headers'] as const;

function WebhookFields({ of, refused, problems, webhook }: FieldsProps): Html {
  const { sent, all } = readFormEntries(refused, of);
  const chosenEvents: readonly string[] = all('hookEvents') ?? webhook?.hookEvents ?? [];
  return (
    <>
      <RefusalMessage
        refused={refused}
        of={of}
        problems={FIELDS_WITH_PROBLEMS.flatMap((name) => (problems[name] ? { name, text: problems[name] } : []))}
      />
      <TextField
        label="URL"
        name="url"
        type="url"
        value={sent('url') ?? webhook?.url}
        maxlength={SENDING_LIMITS.urlCharacters}
        hint="A public https URL"
        problem={problems.url}
        required
      />
      <TextField
        label="Label"
        name="label"
        value={sent('label') ?? webhook?.label ?? ''}
        maxlength={WEBHOOK_LIMITS.webhookLabelCharacters}
        hint="Optional. The label is shown instead of the host name"
      />
      <fieldset>
        <legend>Events (choose none to receive all of them)</legend>
        {RUN_EVENTS.map((event) => (
          <CheckField
            label={`${event}: ${EVENTS[event]}`}
            name="hookEvents"
            value={event}
            checked={chosenEvents.includes(event)}
          />
        ))}
      </fieldset>
      <TextArea
        label="Headers"
        name="headers"
        value={sent('headers') ?? formatHeaderLines(webhook?.headers ?? null)}
        rows={4}
        hint="Optional. Write one header per line, such as Authorization: Bearer …"
        problem={problems.headers}
      />
    </>
  );
}

interface FormProps extends Pick<FieldsProps, 'refused' | 'problems'> {
  readonly visit: ProjectVisit;
}

export const NewWebhookPage = ({ visit, formId, refused, problems }: FormProps & { readonly formId: string }): Html => (
  <>
    <PageHead title="New webhook" />
    <form method="post" action={linkToWebhooks(visit, 'new')}>
      <FormId formId={formId} />
      <WebhookFields of="submitNewWebhook" refused={refused} problems={problems} />
      <CheckField
        label="Sign requests. The signing secret will be shown once, on the next page"
        {...readFormEntries(refused, 'submitNewWebhook').box('signed', true)}
      />
      <FormActions cancelHref={linkToWebhooks(visit)}>
        <button type="submit">Create webhook</button>
      </FormActions>
    </form>
  </>
);

export const EditWebhookPage = ({
  visit,
  webhook,
  refused,
  problems,
}: FormProps & { readonly webhook: ShownWebhook }): Html => (
  <>
    <PageHead title={`Change ${getWebhookName(webhook)}`} />
    <form method="post" action={linkToWebhooks(visit, webhook.hookId, 'edit')}>
      <WebhookFields of="submitWebhookChange" refused={refused} problems={problems} webhook={webhook} />
      <FormActions cancelHref={linkToWebhooks(visit, webhook.hookId)}>
        <button type="submit">Save webhook</button>
      </FormActions>
    </form>
  </>
);
