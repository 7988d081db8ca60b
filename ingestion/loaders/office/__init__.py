"""Word documents and PowerPoint decks: zip packages of XML parts."""
