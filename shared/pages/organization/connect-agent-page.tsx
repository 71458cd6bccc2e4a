/** Explains how to connect an agent to the MCP server. */
import { may } from '#shared/access/may.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { Alternatives, CopiedText, GroupHead, Notice, PageHead, Panel } from '#shared/pages/design/parts.tsx';
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
    <div class="columns">
      <div>
        <Alternatives
          legend="Which agent do you use?"
          name="agent"
          alternatives={listAgents(origin).map((agent) => ({
            name: agent.name,
            content: (
              <section class="card" aria-label={agent.name}>
                <div class="pair">
                  <Setup title="With your sign-in" setup={agent.withSignIn} />
                  <Setup title="With a token" setup={agent.withToken} />
                </div>
              </section>
            ),
          }))}
        />
        <GroupHead title="Try it" note="Ask your agent:" />
        <CopiedText text={QUESTION} />
      </div>
      <aside class="stack" aria-label="Access">
        <Panel title="With your sign-in">
          <p>
            The agent opens a browser, and you choose what it may access. Agents ask only to read. Tick further
            permissions there if yours should also create issues, share results or change rules. It never gets more
            access than your role allows. You can disconnect it on <a href={linkToAccount(visit)}>your account page</a>.
          </p>
        </Panel>
        <Panel title="With a token">
          <p>
            Use a token on machines without a browser.{' '}
            {may(visit.person, 'tokens:create') ? (
              <>
                <a href={addQuery(linkToAccountForm(visit, 'tokens/new'), { organization_id: visit.organizationId })}>
                  Create a personal access token
                </a>{' '}
                with read permissions only, and put it in place of <code>{'<token>'}</code>. An{' '}
                <a href={linkToOrganizationSettings(visit, 'api-keys')}>API key</a> works as well.
              </>
            ) : (
              <>
                Ask an Admin for a Read Only API key, and put it in place of <code>{'<token>'}</code>.
              </>
            )}
          </p>
        </Panel>
      </aside>
    </div>
  </>
);

const QUESTION = 'Which tests failed in the latest run on main, and why? Use Rundown.';

const Setup = ({ title, setup }: { readonly title: string; readonly setup: AgentSetup }): Html => (
  <div>
    <h2>{title}</h2>
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
