/** Setup instructions that connect common AI agents to the MCP server, ready to copy and paste. */

export interface AgentSetup {
  /** The commands to run, or the content of a file. */
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

export const mcpUrl = (origin: string): string => `${origin}/mcp`;

const json = (value: object): string => JSON.stringify(value, null, 2);
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const HEADER = `--header "Authorization: Bearer ${TOKEN}"`;

export const agentsFor = (origin: string): readonly Agent[] => {
  const url = mcpUrl(origin);
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
        lines: json({ servers: { [NAME]: { type: 'http', url } } }),
        next: 'Choose Start above the server, and sign in.',
      },
      withToken: {
        file: '.vscode/mcp.json',
        lines: json({
          inputs: [{ type: 'promptString', id: 'rundown-token', description: 'Rundown token', password: true }],
          servers: { [NAME]: { type: 'http', url, headers: bearer(`\${input:rundown-token}`) } },
        }),
        next: 'Choose Start above the server. It asks for the token once.',
      },
    },
    {
      name: 'Cursor',
      withSignIn: {
        file: '~/.cursor/mcp.json',
        lines: json({ mcpServers: { [NAME]: { url } } }),
        next: `Open the MCP settings, and choose Connect next to ${NAME}.`,
      },
      withToken: {
        file: '~/.cursor/mcp.json',
        lines: json({ mcpServers: { [NAME]: { url, headers: bearer(`\${env:${VARIABLE}}`) } } }),
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
        lines: json({ mcpServers: { [NAME]: { type: 'http', url } } }),
      },
      withToken: {
        file: 'the MCP configuration of your agent',
        lines: json({ mcpServers: { [NAME]: { type: 'http', url, headers: bearer(TOKEN) } } }),
      },
    },
  ];
};
