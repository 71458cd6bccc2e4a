/** The forms that set notices up. They never contain a stored credential. */
import type { Html } from '#shared/engine/html/html.ts';
import type { GithubNotice, SlackNotice } from '#shared/model/notice.ts';
import { NOTICE_LIMITS } from '#shared/notices/limits.ts';
import { GITHUB_API } from '#shared/notices/settings-wire.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { CheckField, SelectField, TextField } from './fields.tsx';
import { noticesHref } from './hrefs.ts';
import { problemAbout, Refusal, sentValue } from './refused-form.tsx';
import type { RefusedForm } from './view.ts';

interface FormProps<Stored> {
  readonly visit: ProjectVisit;
  readonly notice: Stored | undefined;
  readonly refused: RefusedForm | undefined;
}

const OF_GITHUB = 'submitGithubNotice';
const OF_SLACK = 'submitSlackNotice';

export function GithubForm({ visit, notice, refused }: FormProps<GithubNotice>): Html {
  const sent = (name: string) => sentValue(refused, OF_GITHUB, name);
  const isSent = refused?.operationId === OF_GITHUB;
  const isChecked = (name: 'sendsStatus' | 'comments') => (isSent ? sent(name) === 'true' : (notice?.[name] ?? true));
  return (
    <form method="post" action={noticesHref(visit, 'save', 'github')}>
      <Refusal refused={refused} of={OF_GITHUB} />
      <TextField
        label="Repository"
        name="repository"
        value={sent('repository') ?? notice?.repository}
        maxlength={NOTICE_LIMITS.repositoryCharacters}
        hint="Owner and name, such as acme/shop"
        problem={problemAbout(refused, OF_GITHUB, 'repository')}
        required
      />
      <Secret
        label="Token"
        of="github"
        isStored={notice !== undefined}
        hint="It needs write access to commit statuses and pull requests. Another repository or API address needs it again"
      />
      <CheckField label="Write commit statuses" name="sendsStatus" value="true" checked={isChecked('sendsStatus')} />
      <CheckField label="Comment on pull requests" name="comments" value="true" checked={isChecked('comments')} />
      <TextField
        label="Name of the status"
        name="context"
        value={sent('context') ?? notice?.context ?? `rundown/${visit.project.name}`}
        maxlength={NOTICE_LIMITS.contextCharacters}
        hint="Branch protection can require this status. Whoever has a record key can set it, so require the CI job as well"
      />
      <TextField
        label="API address"
        name="apiUrl"
        type="url"
        value={sent('apiUrl') ?? notice?.apiUrl ?? GITHUB_API}
        maxlength={NOTICE_LIMITS.urlCharacters}
        hint="GitHub Enterprise Server has its own, such as https://github.example.com/api/v3"
        problem={problemAbout(refused, OF_GITHUB, 'API address')}
      />
      <button type="submit">Save GitHub</button>
    </form>
  );
}

const RUNS = [
  { value: 'failed', label: 'failed runs' },
  { value: 'changed', label: 'runs whose result differs from the run before' },
  { value: 'all', label: 'all runs' },
];

export const SlackForm = ({ visit, notice, refused }: FormProps<SlackNotice>): Html => (
  <form method="post" action={noticesHref(visit, 'save', 'slack')}>
    <Refusal refused={refused} of={OF_SLACK} />
    <SelectField
      label="Tell about"
      name="runs"
      value={sentValue(refused, OF_SLACK, 'runs') ?? notice?.runs ?? 'failed'}
      options={RUNS}
    />
    <Secret
      label="Webhook address"
      of="slack"
      isStored={notice !== undefined}
      hint="The address of an incoming webhook"
    />
    <button type="submit">Save Slack</button>
  </form>
);

interface SecretProps {
  readonly label: string;
  readonly of: string;
  readonly isStored: boolean;
  readonly hint: string;
}

/** Both forms of the page have a credential, so its id names the form. */
const Secret = ({ label, of, isStored, hint }: SecretProps): Html => (
  <div class="field">
    <label for={`credential-${of}`}>{label}</label>
    <input
      id={`credential-${of}`}
      name="credential"
      type="password"
      autocomplete="off"
      maxlength={NOTICE_LIMITS.credentialCharacters}
      aria-describedby={`credential-${of}-hint`}
      required={!isStored}
    />
    <small id={`credential-${of}-hint`}>{isStored ? `${hint}. Empty keeps the stored one` : hint}</small>
  </div>
);
