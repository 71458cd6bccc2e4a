/** One stack of the template: finds resources, and resolves references across nested stacks. */

import { basename } from 'node:path';
import * as z from 'zod';
import { type Assembly, loadTemplate, type Template } from './assembly.ts';
import { NO_VALUE, type References, resolve } from './intrinsics.ts';
import { ACCOUNT, getResourceAttribute, getResourceReference, type PhysicalNames, REGION } from './physical-ids.ts';

/** A resource as CloudFormation would create it. */
export interface StackResource {
  readonly logicalId: string;
  readonly type: string;
  /** The value of a top-level property with references resolved. `undefined` if the template omits it. */
  property(name: string): unknown;
  /** The value of `Ref` for the resource. */
  readonly reference: string;
  attribute(name: string): string;
}

export class Stack implements References {
  readonly name: string;
  readonly #template: Template;
  readonly #parameters: ReadonlyMap<string, () => unknown>;
  readonly #names: PhysicalNames;
  readonly #nested = new Map<string, Stack>();
  /** Cache of this stack's own resources by type, because the same types are looked up once per function. */
  readonly #ownResources = new Map<string, readonly StackResource[]>();

  static async load(assembly: Assembly, names: PhysicalNames): Promise<Stack> {
    const root = new Stack(assembly.stackName, assembly.template, new Map(), names);
    await root.#loadNested(assembly);
    return root;
  }

  private constructor(
    name: string,
    template: Template,
    parameters: ReadonlyMap<string, () => unknown>,
    names: PhysicalNames,
  ) {
    this.name = name;
    this.#template = template;
    this.#parameters = parameters;
    this.#names = names;
  }

  /** All resources of a type in this stack and its nested stacks. */
  resources(type: string): StackResource[] {
    return [...this.#listOwnResources(type), ...[...this.#nested.values()].flatMap((stack) => stack.resources(type))];
  }

  #listOwnResources(type: string): readonly StackResource[] {
    const cachedResources = this.#ownResources.get(type);
    if (cachedResources) return cachedResources;
    const entries = Object.entries(this.#template.Resources).filter(([, { Type }]) => Type === type);
    const ownResources = entries.map(([logicalId]) => this.#resource(logicalId));
    this.#ownResources.set(type, ownResources);
    return ownResources;
  }

  ref(name: string): unknown {
    if (name.startsWith('AWS::')) return this.#pseudoParameter(name);
    if (name in this.#template.Resources) return this.#resource(name).reference;
    const parameter = this.#parameters.get(name);
    if (parameter) return parameter();
    const value = this.#template.Parameters[name]?.Default;
    if (value === undefined) throw new Error(`${this.name}: the parameter ${name} has no value`);
    return value;
  }

  attribute(logicalId: string, attribute: string): unknown {
    const nestedStack = this.#nested.get(logicalId);
    const output = /^Outputs\.(.+)$/.exec(attribute)?.[1];
    if (nestedStack && output !== undefined) return nestedStack.#output(output);
    return this.#resource(logicalId).attribute(attribute);
  }

  #output(name: string): unknown {
    const output = this.#template.Outputs[name];
    if (!output) throw new Error(`${this.name} has no output ${name}`);
    return resolve(output.Value, this);
  }

  #pseudoParameter(name: string): unknown {
    const values: Readonly<Record<string, unknown>> = {
      'AWS::AccountId': ACCOUNT,
      'AWS::Region': REGION,
      'AWS::Partition': 'aws',
      'AWS::URLSuffix': 'amazonaws.com',
      'AWS::StackName': this.name,
      'AWS::StackId': `arn:aws:cloudformation:${REGION}:${ACCOUNT}:stack/${this.name}/local`,
      'AWS::NoValue': NO_VALUE,
    };
    if (name in values) return values[name];
    throw new Error(`The template refers to ${name}, which the local runner does not support`);
  }

  #resource(logicalId: string): StackResource {
    const definition = this.#template.Resources[logicalId];
    if (!definition) throw new Error(`${this.name} refers to ${logicalId}, which it does not define`);
    const property = (name: string) => resolve(definition.Properties[name], this);
    const identity = { logicalId, stackName: this.name, type: definition.Type, property };
    const names = this.#names;
    return {
      logicalId,
      type: definition.Type,
      property: (name) => {
        // Conditions are not supported. If a condition were ignored, the runner could run a resource that a deployment
        // omits.
        if (definition.Condition)
          throw new Error(`${logicalId} has a Condition, which the local runner does not support`);
        return property(name);
      },
      get reference() {
        return getResourceReference(identity, names);
      },
      attribute: (name) => getResourceAttribute(identity, name, names),
    };
  }

  async #loadNested(assembly: Assembly): Promise<void> {
    for (const [logicalId, { Type, Properties }] of Object.entries(this.#template.Resources)) {
      if (Type !== 'AWS::CloudFormation::Stack') continue;
      const key = basename(z.string().parse(resolve(Properties.TemplateURL, this)));
      const parameterEntries = Object.entries(z.record(z.string(), z.unknown()).parse(Properties.Parameters ?? {}));
      // Parameters are resolved lazily, because the outputs of sibling stacks are known only after all stacks are
      // loaded.
      const parameters = new Map(parameterEntries.map(([name, value]) => [name, () => resolve(value, this)]));
      const template = await loadTemplate(assembly.asset(key));
      const nestedStack = new Stack(`${this.name}-${logicalId}`, template, parameters, this.#names);
      this.#nested.set(logicalId, nestedStack);
      await nestedStack.#loadNested(assembly);
    }
  }
}
