/** Explains how to connect an agent to the MCP server. */
import { may } from '#shared/access/may.ts';
import type { Child, Html } from '#shared/engine/html/html.ts';
import { Alternatives, CopiedText, GroupHead, Notice, PageHead } from '#shared/pages/design/parts.tsx';
import { addQuery, linkToAccount, linkToAccountForm, linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';
import { type AgentSetup, buildMcpUrl, listAgents } from './agents.ts';

interface Props {
  readonly visit: OrganizationVisit;
  readonly origin: string;
}

export const ConnectAgentPage = ({ visit, origin }: Props): Html => (
  <>
    <PageHead
      title="Connect an agent"
      meta={`A connected agent can look up which runs failed, why, and since when. It uses the MCP server at ${buildMcpUrl(origin)}.`}
    />
    {!visit.aiMayRead && (
      <Notice tone="flaky">
        {visit.organizationName} does not let AI tools read its failures, so requests from agents are refused. An Admin
        can change this under Sharing and AI.
      </Notice>
    )}
    <Alternatives
      legend="Which agent do you use?"
      name="agent"
      alternatives={listAgents(origin).map((agent) => ({
        name: agent.name,
        content: (
          <section class="card" aria-label={agent.name}>
            <div class="pair">
              <Setup title="With your sign-in" setup={agent.withSignIn}>
                For your own machine. The agent opens a browser, in which you choose what it may access, never more than
                your role allows. Disconnect it on <a href={linkToAccount(visit)}>your account page</a>.
              </Setup>
              <Setup title="With a token" setup={agent.withToken}>
                For machines without a browser. <HowToGetAToken visit={visit} />
              </Setup>
            </div>
          </section>
        ),
      }))}
    />
    <GroupHead title="Try it" note="Ask your agent:" />
    <CopiedText text={QUESTION} />
  </>
);

const QUESTION = 'Which tests failed in the latest run on main, and why? Use Rundown.';

const HowToGetAToken = ({ visit }: Pick<Props, 'visit'>): Html =>
  may(visit.person, 'tokens:create') ? (
    <>
      <a href={addQuery(linkToAccountForm(visit, 'tokens/new'), { organization_id: visit.organizationId })}>
        Create a personal access token
      </a>{' '}
      with read permissions only, or an <a href={linkToOrganizationSettings(visit, 'api-keys')}>API key</a>, and put it
      in place of <code>{'<token>'}</code>.
    </>
  ) : (
    <>
      Ask an Admin for a Read Only API key, and put it in place of <code>{'<token>'}</code>.
    </>
  );

interface SetupProps {
  readonly title: string;
  readonly setup: AgentSetup;
  /** When to choose it. */
  readonly children?: Child;
}

const Setup = ({ title, setup, children }: SetupProps): Html => (
  <div>
    <h2>{title}</h2>
    <p>{children}</p>
    <p class="soft">
      {setup.file === undefined ? (
        'Run in a terminal:'
      ) : (
        <>
          Put this into <code>{setup.file}</code>:
        </>
      )}
    </p>
    <CopiedText text={setup.lines} />
    {setup.next !== undefined && <p>{setup.next}</p>}
  </div>
);
