/** The form that creates a share, and the page that then shows the link. */
import type { Html } from '#shared/engine/html/html.ts';
import type { SharedObject } from '#shared/model/organizations/share.ts';
import { HiddenFields, SelectField } from '#shared/pages/design/fields.tsx';
import { FullTime, formatQuantity } from '#shared/pages/design/format.tsx';
import { CopiedText, FormActions, GroupHead, Notice, PageHead } from '#shared/pages/design/parts.tsx';
import { linkToInstance, linkToNewShare, linkToRun, linkToShares, linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import { findSentValue, RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import { FormId, ShownOnce } from '#shared/pages/shell/shown-once.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import { SHARE_LIMITS } from '#shared/shares/limits.ts';
import type { CreatedShare } from '#shared/shares/share-wire.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

interface FormProps extends WithForms<ProjectVisit> {
  readonly of: SharedObject;
  /** What is shared: the title of the test, the spec file, or the CI build id. */
  readonly label: string;
  /** The maximum lifetime of a share in this organization, in days. 0 means that shares are not allowed. */
  readonly mostDays: number;
  readonly formId: string;
}

/** The page of what is shared. */
function linkToShared(visit: ProjectVisit, { runId, instanceId, testId }: SharedObject): string {
  if (instanceId === undefined) return linkToRun(visit, runId);
  return testId === undefined ? linkToInstance(visit, instanceId) : linkToTestOfRun(visit, { instanceId, testId });
}

export function NewSharePage({ visit, of, label, mostDays, formId, refused }: FormProps): Html {
  const days = SHARE_LIMITS.days.filter((one) => one <= mostDays);
  const sentDays = findSentValue(refused, 'submitNewShare', 'expiresInDays');
  return (
    <>
      <PageHead
        title={`Share ${describeTarget(of)}`}
        meta={
          <span>
            <code>{label}</code>
          </span>
        }
      />
      {days.length === 0 ? (
        <Notice>Your organization does not allow shares. An Admin can allow them under Sharing and AI.</Notice>
      ) : (
        <form method="post" action={linkToNewShare(visit, {})}>
          <RefusalMessage refused={refused} of="submitNewShare" />
          <p class="reading">
            Anyone with the link can see {of.testId === undefined && 'the failed tests of '}
            {describeTarget(of)} without an account, including errors, evidence and files. It names you, the project and
            {of.instanceId === undefined ? ' the commit of the run' : ' the time of the run'}, and shows no other runs
            and no other data of the project.
          </p>
          <FormId formId={formId} />
          <HiddenFields fields={{ ...of }} />
          <SelectField
            label="The link expires after"
            name="expiresInDays"
            value={sentDays ?? String(days.find((one) => one === SHARE_LIMITS.defaultDays) ?? days.at(-1))}
            options={days.map((one) => ({ value: String(one), label: formatQuantity(one, 'day') }))}
            hint="You and Admins can revoke the link earlier"
          />
          <SelectField
            label="For"
            name="purpose"
            value={findSentValue(refused, 'submitNewShare', 'purpose')}
            options={[
              { value: 'report', label: 'People who look into the failure' },
              { value: 'fix', label: 'An AI agent that fixes it' },
            ]}
          />
          <FormActions cancelHref={linkToShared(visit, of)}>
            <button type="submit">Create link</button>
          </FormActions>
        </form>
      )}
    </>
  );
}

function describeTarget({ instanceId, testId }: SharedObject): string {
  if (testId !== undefined) return 'this test';
  return instanceId === undefined ? 'this run' : 'this spec file';
}

interface CreatedProps {
  readonly visit: ProjectVisit;
  readonly share: CreatedShare;
  readonly origin: string;
}

export const CreatedSharePage = ({ visit, share, origin }: CreatedProps): Html => {
  const secret = share.url.split('#')[1] ?? '';
  const curl = `curl -H 'Authorization: Bearer ${secret}' '${origin}/v1/shared?format=md'`;
  return (
    <>
      <PageHead
        title="The link is ready"
        meta={
          <span>
            <span>
              {share.label} · expires on <FullTime at={share.expiresAt} />
            </span>
          </span>
        }
      />
      <ShownOnce name="this link" value={share.url} />
      <GroupHead title="For a chat" note="A Markdown link with the title of the result." />
      <CopiedText text={share.markdown} isReading />
      <GroupHead title="For an agent" note="Returns the shared result as Markdown, if AI tools may read failures." />
      <CopiedText text={curl} isReading />
      <p>
        <a href={linkToShares(visit)}>All shares of this project</a>
      </p>
    </>
  );
};
