/** One area of the API reference: its operations with parameters, bodies, responses and a command to paste. */
import type { Child, Html } from '#shared/engine/html/html.ts';
import { CopiedText, Fact, Panel } from '#shared/pages/design/parts.tsx';
import { buildCurlCommand, JSON_TYPE } from './curl-command.ts';
import type { Reference, ReferenceOperation } from './reference-wire.ts';
import { formatSchemaType, listSchemaMembers, type Member } from './schema-members.ts';

interface Props {
  readonly area: string;
  readonly reference: Reference;
  /** Replaces placeholders in commands with the values of this service and of the chosen project. */
  readonly fill: (code: string) => string;
  /** Where the person chooses the project. */
  readonly choice: Child;
}

export const ReferencePage = ({ area, reference, fill, choice }: Props): Html => {
  const operations = reference.areas.get(area) ?? [];
  return (
    <>
      <h1>/{area}</h1>
      {choice}
      <ul class="prose">
        {operations.map(({ operationId, method, path, summary }) => (
          <li>
            <a href={`#${operationId}`}>{summary}</a>
            <br />
            <code>
              {method} {path}
            </code>
          </li>
        ))}
      </ul>
      {operations.map((operation) => (
        <OperationPanel operation={operation} reference={reference} fill={fill} />
      ))}
    </>
  );
};

interface OperationProps extends Omit<Props, 'area' | 'choice'> {
  readonly operation: ReferenceOperation;
}

function OperationPanel({ operation, reference, fill }: OperationProps): Html {
  const { operationId, summary, method, path, description, parameters, requestBody } = operation;
  const command = fill(buildCurlCommand(operation));
  const body = requestBody?.content[JSON_TYPE];
  return (
    <Panel title={summary} id={operationId}>
      <p>
        <code>
          <strong>{method}</strong> {path}
        </code>
      </p>
      {description.split('\n\n').map((text) => (
        <p>{renderInlineCode(text)}</p>
      ))}
      <CopiedText text={command} label="Copy the command" />
      {parameters.length > 0 && (
        <>
          <h3>Parameters</h3>
          <Members
            members={parameters.map(({ name, in: place, required, deprecated, description: about = '', schema }) => ({
              name,
              type: `${formatSchemaType(reference, schema)}, in the ${place}${deprecated ? ', deprecated' : ''}`,
              isRequired: required,
              description: about,
            }))}
          />
        </>
      )}
      {body && (
        <>
          <h3>Request body</h3>
          <Members members={listSchemaMembers(reference, body.schema)} />
        </>
      )}
      <Responses operation={operation} reference={reference} />
    </Panel>
  );
}

function Responses({ operation, reference }: Omit<OperationProps, 'fill'>): Html {
  const responses = Object.entries(operation.responses);
  const successes = responses.filter(([status]) => status.startsWith('2') || status.startsWith('3'));
  const refusals = responses.filter(([status]) => status.startsWith('4') || status.startsWith('5'));
  return (
    <>
      {successes.map(([status, { description, content }]) => {
        const { example, schema } = content[JSON_TYPE] ?? {};
        return (
          <>
            <h3>
              {status} {description}
            </h3>
            {schema && (
              <details>
                <summary>Response fields</summary>
                <Members members={listSchemaMembers(reference, schema)} />
              </details>
            )}
            {example !== undefined && (
              <details>
                <summary>Example response</summary>
                <CopiedText text={JSON.stringify(example, null, 2)} label="Copy the example" />
              </details>
            )}
          </>
        );
      })}
      {refusals.length > 0 && (
        <details>
          <summary>Errors</summary>
          <dl class="facts">
            {refusals.map(([status, response]) => (
              <Fact name={status}>{renderInlineCode(reference.responseOf(response).description)}</Fact>
            ))}
          </dl>
        </details>
      )}
    </>
  );
}

const Members = ({ members }: { readonly members: readonly Member[] }): Html => (
  <div class="scroll" tabindex={0}>
    <table class="stacked">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Type</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        {members.map(({ name, type, isRequired, description }) => (
          <tr>
            <td data-label="Name">
              <code>{name}</code>
            </td>
            <td data-label="Type">
              {type}
              {isRequired && <small>, required</small>}
            </td>
            <td data-label="Meaning">{renderInlineCode(description)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

/** In these texts, code stands between backticks, so every other part is code. */
const renderInlineCode = (text: string): Child[] =>
  text.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part));
