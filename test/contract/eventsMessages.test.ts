import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { normalizedMessages } from '../../src/events/normalize.js';

/** What the program sends or records although the SDK declares it nowhere. */
const undeclared = ['command_lifecycle', 'system/microcompact_boundary'];

describe('the messages that the SDK declares', () => {
  it('are each handled on purpose, and no other', () => {
    const declared = declaredMessages();
    expect(declared.length).toBeGreaterThan(30);
    expect([...declared, ...undeclared].toSorted()).toEqual(normalizedMessages.toSorted());
  });
});

/** Type and subtype of every member of the SDK's message union, read from its declarations. */
function declaredMessages(): string[] {
  const file = fileURLToPath(import.meta.resolve('@anthropic-ai/claude-agent-sdk')).replace(/\.mjs$/, '.d.ts');
  const program = ts.createProgram([file], {
    skipLibCheck: true,
    strict: true,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    module: ts.ModuleKind.NodeNext,
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const symbol = source && checker.getSymbolAtLocation(source);
  const union = symbol && checker.getExportsOfModule(symbol).find((one) => one.name === 'SDKMessage');
  if (!union) throw new Error(`${file} has no type SDKMessage`);
  const type = checker.getDeclaredTypeOfSymbol(union);
  const members = type.isUnion() ? type.types : [type];
  return [...new Set(members.map((member) => nameOf(member, checker)))];
}

function nameOf(member: ts.Type, checker: ts.TypeChecker): string {
  const type = literal(member, 'type', checker);
  return type === 'system' ? `system/${literal(member, 'subtype', checker)}` : type;
}

function literal(member: ts.Type, key: string, checker: ts.TypeChecker): string {
  const property = member.getProperty(key);
  const type = property && checker.getTypeOfSymbol(property);
  if (!type?.isStringLiteral()) throw new Error(`${checker.typeToString(member)} has no literal ${key}`);
  return type.value;
}
