/** Setup instructions that connect common AI agents to the MCP server, ready to copy and paste. */

export interface AgentSetup {
  readonly lines: string;
  /** The file to put the lines into. If it is absent, the lines are commands to run. */
  readonly file?: string;
  readonly next?: string;
}

export interface Agent {
  readonly name: string;
  /** How to connect the agent if the person signs in with a browser (OAuth). */
  readonly withSignIn: AgentSetup;
  readonly withToken: AgentSetup;
}

/** The name of the server in the agent's configuration. */
const NAME = 'rundown';
const VARIABLE = 'RUNDOWN_TOKEN';
const TOKEN = '<token>';

export const buildMcpUrl = (origin: string): string => `${origin}/mcp`;

const formatJson = (value: object): string => JSON.stringify(value, null, 2);
const makeBearerHeader = (token: string) => ({ Authorization: `Bearer ${token}` });
const HEADER = `--header "Authorization: Bearer ${TOKEN}"`;

export const listAgents = (origin: string): readonly Agent[] => {
  const url = buildMcpUrl(origin);
  return [
    {
      name: 'Claude Code',
      withSignIn: {
        lines: `claude mcp add --transport http ${NAME} ${url}`,
        next: `Start claude, enter /mcp, choose ${NAME} and sign in.`,
      },
      withToken: { lines: `claude mcp add --transport http ${NAME} ${url} ${HEADER}` },
    },
    {
      name: 'VS Code',
      withSignIn: {
        file: '.vscode/mcp.json',
        lines: formatJson({ servers: { [NAME]: { type: 'http', url } } }),
        next: 'Choose Start above the server, and sign in.',
      },
      withToken: {
        file: '.vscode/mcp.json',
        lines: formatJson({
          inputs: [{ type: 'promptString', id: 'rundown-token', description: 'Rundown token', password: true }],
          servers: { [NAME]: { type: 'http', url, headers: makeBearerHeader(`\${input:rundown-token}`) } },
        }),
        next: 'Choose Start above the server. It asks for the token once.',
      },
    },
    {
      name: 'Cursor',
      withSignIn: {
        file: '~/.cursor/mcp.json',
        lines: formatJson({ mcpServers: { [NAME]: { url } } }),
        next: `Open the MCP settings, and choose Connect next to ${NAME}.`,
      },
      withToken: {
        file: '~/.cursor/mcp.json',
        lines: formatJson({ mcpServers: { [NAME]: { url, headers: makeBearerHeader(`\${env:${VARIABLE}}`) } } }),
        next: `Put the token into the environment variable ${VARIABLE}, and restart Cursor.`,
      },
    },
    {
      name: 'Codex',
      withSignIn: { lines: `codex mcp add ${NAME} --url ${url}\ncodex mcp login ${NAME}` },
      withToken: {
        lines: `export ${VARIABLE}=${TOKEN}\ncodex mcp add ${NAME} --url ${url} --bearer-token-env-var ${VARIABLE}`,
      },
    },
    {
      name: 'Gemini CLI',
      withSignIn: {
        lines: `gemini mcp add --transport http ${NAME} ${url}`,
        next: `Start gemini, enter /mcp auth ${NAME} and sign in.`,
      },
      withToken: { lines: `gemini mcp add --transport http ${HEADER} ${NAME} ${url}` },
    },
    {
      name: 'Any other agent',
      withSignIn: {
        file: 'the MCP configuration of your agent',
        lines: formatJson({ mcpServers: { [NAME]: { type: 'http', url } } }),
      },
      withToken: {
        file: 'the MCP configuration of your agent',
        lines: formatJson({ mcpServers: { [NAME]: { type: 'http', url, headers: makeBearerHeader(TOKEN) } } }),
      },
    },
  ];
};
