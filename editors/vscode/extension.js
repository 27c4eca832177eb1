// Starts `tfc lsp`, and shows the gradient of a function beside its program.
const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

exports.activate = async function (context) {
  const tfc = { command: vscode.workspace.getConfiguration('tfir').get('path'), args: ['lsp', '--stdio'] };
  client = new LanguageClient('tfir', 'tfc', tfc, {
    documentSelector: [{ language: 'tfir' }],
    middleware: {
      // The server gives the gradient as text; it is shown in a document of its own.
      executeCommand: async (command, args, next) => {
        const answer = await next(command, args);
        if (command === 'tfc.gradient' && typeof answer === 'string') {
          const document = await vscode.workspace.openTextDocument({ language: 'tfir', content: answer });
          await vscode.window.showTextDocument(document, vscode.ViewColumn.Beside, true);
        }
        return answer;
      },
    },
  });
  context.subscriptions.push({ dispose: () => client.stop() });
  await client.start();
};

exports.deactivate = () => client && client.stop();
