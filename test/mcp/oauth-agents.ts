/**
 * The official client libraries, version 1 and version 2. They sign in with OAuth and keep their credentials in memory.
 */
import {
  type OAuthDiscoveryState as Discovery,
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
  auth as newAuth,
} from '@modelcontextprotocol/client';
import { auth as oldAuth } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthClientInformationMixed as Information, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { REDIRECT_URI } from '#test/harness/own-issuer.ts';

const ABOUT = { name: 'test', version: '1.0.0' };

/**
 * The credentials of one agent. `clientMetadataUrl` is the address of the client metadata document. Without this
 * address, the agent registers itself.
 */
export class Memory {
  readonly redirectUrl = REDIRECT_URI;
  readonly clientMetadataUrl: string | undefined;
  readonly clientMetadata = {
    client_name: 'Agent',
    redirect_uris: [REDIRECT_URI],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  /** The address that the person must open to give consent. */
  asked: URL | undefined;
  information: Information | undefined;
  held: OAuthTokens | undefined;
  #verifier = '';
  #discovery: Discovery | undefined;

  constructor(clientMetadataUrl?: string) {
    this.clientMetadataUrl = clientMetadataUrl;
  }

  clientInformation = () => this.information;
  saveClientInformation = (information: Information): void => {
    this.information = information;
  };
  tokens = () => this.held;
  saveTokens = (tokens: OAuthTokens): void => {
    this.held = tokens;
  };
  redirectToAuthorization = (address: URL): void => {
    this.asked = address;
  };
  saveCodeVerifier = (verifier: string): void => {
    this.#verifier = verifier;
  };
  codeVerifier = () => this.#verifier;
  saveDiscoveryState = (found: Discovery): void => {
    this.#discovery = found;
  };
  discoveryState = () => this.#discovery;
}

export interface OauthAgent {
  /** Lists the names of the tools. Throws until the person has given consent. */
  readonly tools: (endpoint: URL, memory: Memory) => Promise<string[]>;
  /** Throws if the call needs a permission that the client must ask the person for. */
  readonly call: (endpoint: URL, memory: Memory, name: string, args: Record<string, unknown>) => Promise<object>;
  readonly finish: (endpoint: URL, memory: Memory, redirect: URL) => Promise<void>;
  /** Renews the access token. Returns whether the renewal worked without the person. */
  readonly renew: (serverUrl: URL, memory: Memory) => Promise<boolean>;
}

const callback = ({ searchParams }: URL): readonly [string, string | undefined] => [
  searchParams.get('code') ?? '',
  searchParams.get('iss') ?? undefined,
];

export const OAUTH_AGENTS: Readonly<Record<string, OauthAgent>> = {
  'version 1 of the official client': {
    tools: async (endpoint, authProvider) => {
      const client = new OldClient(ABOUT);
      await client.connect(new OldTransport(endpoint, { authProvider }));
      const { tools } = await client.listTools();
      await client.close();
      return tools.map(({ name }) => name);
    },
    call: async (endpoint, authProvider, name, args) => {
      const client = new OldClient(ABOUT);
      await client.connect(new OldTransport(endpoint, { authProvider }));
      const result = await client.callTool({ name, arguments: args });
      await client.close();
      return result;
    },
    finish: (endpoint, authProvider, redirect) =>
      new OldTransport(endpoint, { authProvider }).finishAuth(callback(redirect)[0]),
    renew: async (serverUrl, memory) => (await oldAuth(memory, { serverUrl })) === 'AUTHORIZED',
  },
  'version 2 of the official client': {
    tools: async (endpoint, authProvider) => {
      const client = new NewClient(ABOUT);
      await client.connect(new NewTransport(endpoint, { authProvider }));
      const { tools } = await client.listTools();
      await client.close();
      return tools.map(({ name }) => name);
    },
    call: async (endpoint, authProvider, name, args) => {
      const client = new NewClient(ABOUT, { versionNegotiation: { mode: 'auto' } });
      await client.connect(new NewTransport(endpoint, { authProvider }));
      const result = await client.callTool({ name, arguments: args });
      await client.close();
      return result;
    },
    finish: (endpoint, authProvider, redirect) =>
      new NewTransport(endpoint, { authProvider }).finishAuth(...callback(redirect)),
    renew: async (serverUrl, memory) => (await newAuth(memory, { serverUrl })) === 'AUTHORIZED',
  },
};
