/** A model of an organization without a database. The property test compares the service with this model. */
import type { Role } from '#shared/model/organizations/membership.ts';

/** The model refers to people by number. */
export type By = 'operator' | number;

export type Step =
  | { readonly do: 'add' | 'invite' | 'role'; readonly by: By; readonly who: number; readonly role: Role }
  | { readonly do: 'withdraw' | 'remove' | 'deprovision'; readonly by: By; readonly who: number }
  | { readonly do: 'leave' | 'create token'; readonly by: number }
  /**
   * Joins with the newest invitation for this person, or with the first invitation of all, which may be for another
   * person.
   */
  | { readonly do: 'join'; readonly by: number; readonly with: 'own' | 'first' }
  | { readonly do: 'create key' | 'deactivate'; readonly by: By }
  | { readonly do: 'delete key' | 'revoke'; readonly by: By; readonly nth: number }
  | { readonly do: 'wait'; readonly days: number };

export type Outcome =
  | 'done'
  | 'no member'
  | 'over'
  | 'not this role'
  | 'not there'
  | 'there already'
  | 'last Admin'
  | 'no invitation';

interface Invitation {
  readonly by: By;
  readonly who: number;
  readonly role: Role;
  readonly until: number;
  isOpen: boolean;
}

interface Token {
  readonly owner: number;
  readonly membership: object;
  isRevoked: boolean;
}

const ADMINS_ONLY = /^(invite|withdraw|role|remove|deactivate|create key|delete key|create token)$/;
const OPERATOR_ONLY = /^(add|deprovision)$/;

export class Model {
  day = 0;
  isOver = false;
  /** The number of audited changes, without those of the clean-up. */
  changes = 0;
  readonly members = new Map<number, { role: Role }>();
  /** All invitations ever created, so that steps can try old secrets. */
  readonly invitations: Invitation[] = [];
  readonly keys: { isDeleted: boolean }[] = [];
  readonly tokens: Token[] = [];

  take(step: Step): Outcome {
    if (step.do === 'wait') {
      this.day += step.days;
      return 'done';
    }
    const refusal = step.do === 'join' ? undefined : this.#mayNot(step);
    return refusal ?? this.#act(step);
  }

  #mayNot(step: Exclude<Step, { do: 'wait' }>): Outcome | undefined {
    if (step.by === 'operator') {
      return this.isOver && step.do !== 'deprovision' && step.do !== 'deactivate' ? 'over' : undefined;
    }
    const actor = this.members.get(step.by);
    if (!actor) return 'no member';
    if (this.isOver) return 'over';
    const isOthersToken = step.do === 'revoke' && this.tokens[step.nth]?.owner !== step.by;
    const needsAdmin = ADMINS_ONLY.test(step.do) || isOthersToken;
    return OPERATOR_ONLY.test(step.do) || (needsAdmin && actor.role !== 'admin') ? 'not this role' : undefined;
  }

  #act(step: Exclude<Step, { do: 'wait' }>): Outcome {
    switch (step.do) {
      case 'add':
        return this.members.has(step.who) ? 'there already' : this.#enter(step.who, step.role);
      case 'invite':
        return this.members.has(step.who) ? 'there already' : this.#invite(step.by, step.who, step.role);
      case 'withdraw':
        return this.openFor(step.who) ? this.#change(() => this.#close(step.who)) : 'not there';
      case 'join':
        return this.#join(step.by, this.invitations[this.triedBy(step)]);
      case 'role':
        return this.#give(step.who, step.role);
      case 'leave':
        return this.#end(step.by, true);
      case 'remove':
        return this.#end(step.who, true);
      case 'deprovision':
        return this.#end(step.who, false);
      case 'create key':
        return this.#change(() => this.keys.push({ isDeleted: false }));
      case 'delete key':
        return this.#mark(this.keys[step.nth], 'isDeleted', 'not there');
      case 'create token':
        return this.#change(() => this.tokens.push(this.#tokenOf(step.by)));
      case 'revoke':
        return this.tokens[step.nth]?.isRevoked ? 'done' : this.#mark(this.tokens[step.nth], 'isRevoked', 'not there');
      case 'deactivate':
        return this.#deactivate();
    }
  }

  /** The index of the invitation with which the person tries to join, or -1 if there is none. */
  triedBy = (step: { by: number; with: 'own' | 'first' }): number =>
    step.with === 'first' ? 0 : this.invitations.findLastIndex(({ who }) => who === step.by);
  openFor = (who: number): Invitation | undefined =>
    this.invitations.find((invitation) => invitation.isOpen && invitation.who === who);
  admins = (): number => [...this.members.values()].filter(({ role }) => role === 'admin').length;
  works = ({ owner, membership, isRevoked }: Token): boolean =>
    !isRevoked && !this.isOver && this.members.get(owner) === membership && this.members.get(owner)?.role === 'admin';

  #change(act: () => unknown): Outcome {
    act();
    this.changes += 1;
    return 'done';
  }

  #close(who: number): void {
    const open = this.openFor(who);
    if (open) open.isOpen = false;
  }

  #enter(who: number, role: Role): Outcome {
    this.#close(who);
    return this.#change(() => this.members.set(who, { role }));
  }

  #invite(by: By, who: number, role: Role): Outcome {
    this.#close(who);
    return this.#change(() => this.invitations.push({ by, who, role, until: this.day + 7, isOpen: true }));
  }

  #join(who: number, invitation: Invitation | undefined): Outcome {
    const lets = invitation?.isOpen && invitation.who === who && this.day <= invitation.until && !this.isOver;
    return lets ? this.#enter(who, invitation.role) : 'no invitation';
  }

  #give(who: number, role: Role): Outcome {
    const member = this.members.get(who);
    if (!member) return 'not there';
    if (member.role === role) return 'done';
    if (member.role === 'admin' && this.admins() === 1) return 'last Admin';
    return this.#change(() => {
      member.role = role;
      if (role !== 'admin') this.#withdrawOf(who);
    });
  }

  /** Withdraws all open invitations that a person has sent. The clean-up records them, so they are not counted. */
  #withdrawOf(inviter: number): void {
    for (const invitation of this.invitations) if (invitation.by === inviter) invitation.isOpen = false;
  }

  #end(who: number, keepsAdmin: boolean): Outcome {
    const member = this.members.get(who);
    if (!member) return 'not there';
    if (keepsAdmin && member.role === 'admin' && this.admins() === 1) return 'last Admin';
    this.members.delete(who);
    this.#withdrawOf(who);
    if (!keepsAdmin) this.#revokeDead();
    return this.#change(() => {});
  }

  #mark<Name extends string>(thing: Record<Name, boolean> | undefined, name: Name, otherwise: Outcome): Outcome {
    if (!thing || thing[name]) return otherwise;
    return this.#change(() => {
      thing[name] = true;
    });
  }

  #tokenOf(owner: number): Token {
    const membership = this.members.get(owner);
    if (!membership) throw new Error('Expected a member');
    return { owner, membership, isRevoked: false };
  }

  #deactivate(): Outcome {
    if (!this.isOver) this.changes += 1;
    this.isOver = true;
    this.#revokeDead();
    return 'done';
  }

  #revokeDead(): void {
    for (const token of this.tokens) {
      if (this.isOver || this.members.get(token.owner) !== token.membership) token.isRevoked = true;
    }
  }
}
